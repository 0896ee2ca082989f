import { resolve } from "node:path";
import type { Clock } from "../system/clock.ts";
import { createEventKeeper } from "./event-keeper.ts";
import { type OpenEventSource, openEventSource } from "./event-source.ts";
import { createHintBurst, type HintBurst } from "./hint-burst.ts";
import { schedulePolls } from "./poll-schedule.ts";
import { explainFailure, identifyDirectory, type WatchMode } from "./watched-directory.ts";

/** What to watch, and whom to tell. The functions are called from timers and events: they must not throw. */
export interface WatchRequest {
  readonly directories: readonly string[];
  readonly pollMs: number;
  readonly clock: Clock;
  /** Look at this directory. Says nothing of what changed, or whether anything did. */
  onHint(directory: string, cause: "event" | "poll"): void;
  /** Told once for the first mode and once for each change; `detail` says why, in a sentence without a full stop. */
  onMode(directory: string, mode: WatchMode, detail: string): void;
}

/** A running watch. */
export interface VolumeWatch {
  /**
   * To be called after a look that a poll asked for found new content: true where the directory was watched and no
   * event told of it. The directory is watched anew, and its mode is `poll` until an event comes.
   */
  reportFoundByPoll(directory: string): boolean;
  /** Ends everything; no function of the request is called once it has been called. */
  close(): Promise<void>;
}

interface Entry {
  /** As the caller names it. */
  readonly directory: string;
  readonly burst: HintBurst;
  /** `arming`: asked for, and not known to work yet. */
  state: "unwatched" | "arming" | "watched";
  mode: WatchMode | undefined;
  /** The directory that is watched, and where it really lies. */
  id: string | undefined;
  path: string | undefined;
  /** The watch may be one of a directory that is gone, even if the new one has its inode number. */
  isDoubtful: boolean;
  /** That it is asked for is no proof any more: only an event is. */
  isMistrusted: boolean;
  isChecking: boolean;
  /** Counts down at each poll. */
  pollsUntilRetry: number;
  pollsBetweenRetries: number;
  hasEvent: boolean;
  hadEventBeforePoll: boolean;
}

const mostPollsBetweenRetries = 32;

/**
 * Watches directories with one chokidar instance and polls each of them once in `pollMs` besides, whatever the events
 * do. Never throws: what can't be watched is polled, and tried again at growing distances.
 */
export function watchVolumes(request: WatchRequest, openSource: OpenEventSource = openEventSource): VolumeWatch {
  const { clock } = request;
  const keeper = createEventKeeper(clock, openSource, { event: noteEvent, failure: noteFailure, armed: noteArmed });
  const entries = request.directories.map(createEntry);
  let isClosed = false;

  function createEntry(directory: string): Entry {
    const entry: Entry = {
      directory,
      burst: createHintBurst(
        clock,
        () => request.onHint(directory, "event"),
        () => void check(entry),
      ),
      state: "unwatched",
      mode: undefined,
      id: undefined,
      path: undefined,
      isDoubtful: false,
      isMistrusted: false,
      isChecking: false,
      pollsUntilRetry: 0,
      pollsBetweenRetries: 1,
      hasEvent: false,
      hadEventBeforePoll: false,
    };
    return entry;
  }

  function setMode(entry: Entry, mode: WatchMode, detail: string): void {
    if (entry.mode === mode || isClosed) return;
    entry.mode = mode;
    request.onMode(entry.directory, mode, detail);
  }

  function noteEvent(path: string, isItself: boolean): void {
    if (isClosed) return;
    for (const entry of entries) {
      if (entry.path !== path || entry.state === "unwatched") continue;
      entry.hasEvent = true;
      entry.isDoubtful ||= isItself;
      entry.isMistrusted = false;
      confirm(entry, "an event came");
      entry.burst.push();
    }
  }

  /** What changed before the watch worked sent no event, so: look. Where it isn't trusted, the poll does. */
  function noteArmed(): void {
    for (const entry of entries) {
      if (entry.state !== "arming") continue;
      confirm(entry, "the directory is watched");
      if (!entry.isMistrusted) entry.burst.push();
    }
  }

  function confirm(entry: Entry, detail: string): void {
    entry.state = "watched";
    entry.pollsBetweenRetries = 1;
    if (!entry.isMistrusted) setMode(entry, "events", detail);
  }

  function noteFailure(path: string | undefined, detail: string): void {
    for (const entry of entries) {
      if (entry.state === "unwatched" || (path !== undefined && entry.path !== path)) continue;
      release(entry);
      entry.pollsUntilRetry = entry.pollsBetweenRetries;
      entry.pollsBetweenRetries = Math.min(2 * entry.pollsBetweenRetries, mostPollsBetweenRetries);
      setMode(entry, "poll", detail);
    }
  }

  /** Leaves the path watched where another target needs it. */
  function release(entry: Entry): void {
    const { path } = entry;
    entry.state = "unwatched";
    entry.id = undefined;
    entry.path = undefined;
    if (path !== undefined && !entries.some((other) => other.path === path)) keeper.unwatch(path);
  }

  /** Compares the directory with what is watched, and watches it anew where they differ. */
  async function check(entry: Entry): Promise<void> {
    if (entry.isChecking || isClosed) return;
    entry.isChecking = true;
    const found = await identifyDirectory(resolve(entry.directory));
    entry.isChecking = false;
    if (isClosed) return;
    if (found.kind === "absent") {
      if (entry.state !== "unwatched") release(entry);
      entry.pollsUntilRetry = 0;
      setMode(entry, "poll", explainFailure(found.code));
      return;
    }
    if (entry.state === "unwatched") {
      if (entry.pollsUntilRetry > 0) return;
    } else {
      if (entry.id === found.id && entry.path === found.path && !entry.isDoubtful) return;
      release(entry);
    }
    entry.id = found.id;
    entry.path = found.path;
    entry.isDoubtful = false;
    entry.state = "arming";
    keeper.watch(found.path);
  }

  const cancelPolls = schedulePolls(clock, request.pollMs, entries, (entry) => {
    entry.hadEventBeforePoll = entry.hasEvent;
    entry.hasEvent = false;
    entry.pollsUntilRetry -= 1;
    void check(entry);
    request.onHint(entry.directory, "poll");
  });
  for (const entry of entries) void check(entry);

  return {
    reportFoundByPoll(directory) {
      const entry = entries.find((candidate) => candidate.directory === directory);
      if (entry === undefined || entry.state === "unwatched" || entry.hasEvent || entry.hadEventBeforePoll)
        return false;
      // One that was asked for a moment ago has missed nothing yet; one that is asked for again has.
      if (entry.state === "arming" && !entry.isMistrusted) return false;
      setMode(entry, "poll", "the content changed and no event told of it");
      entry.isDoubtful = true;
      entry.isMistrusted = true;
      return true;
    },
    async close() {
      isClosed = true;
      cancelPolls();
      for (const entry of entries) entry.burst.close();
      await keeper.close();
    },
  };
}
