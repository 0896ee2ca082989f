import { resolve } from "node:path";
import type { Cancel, Clock } from "../system/clock.ts";
import { type EventSource, type OpenEventSource, openEventSource } from "./event-source.ts";
import { createHintBurst, type HintBurst } from "./hint-burst.ts";
import { schedulePolls } from "./poll-schedule.ts";
import { explainFailure, identifyDirectory, type WatchMode } from "./watched-directory.ts";
import { errorCode } from "./watched-file.ts";

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
   * event told of it. The directory's mode is `poll` from then on, until an event comes.
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
  /** What is or was watched. */
  id: string | undefined;
  path: string | undefined;
  /** Counts down at each poll. */
  pollsUntilRetry: number;
  pollsBetweenRetries: number;
  isChecking: boolean;
  hasEvent: boolean;
  hadEventBeforePoll: boolean;
}

/** How long the first watches may take before only the poll is trusted. */
const armingMs = 5_000;
/** How long a failure of a later one may take to be told. */
const laterArmingMs = 50;
const mostPollsBetweenRetries = 32;

/**
 * Watches directories with one chokidar instance and polls each of them once in `pollMs` besides, whatever the events
 * do. Never throws: what can't be watched is polled, and tried again at growing distances.
 */
export function watchVolumes(request: WatchRequest, openSource: OpenEventSource = openEventSource): VolumeWatch {
  const { clock } = request;
  const entries = request.directories.map(createEntry);
  let source: EventSource | undefined;
  let isOpening = false;
  let isClosed = false;
  let cancelArming: Cancel | undefined;

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
      pollsUntilRetry: 0,
      pollsBetweenRetries: 1,
      isChecking: false,
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

  function noteEvent(path: string): void {
    if (isClosed) return;
    for (const entry of entries) {
      if (entry.path !== path || entry.state === "unwatched") continue;
      entry.hasEvent = true;
      confirmWatch(entry, "an event came");
      entry.burst.push();
    }
  }

  function confirmWatch(entry: Entry, detail: string): void {
    entry.state = "watched";
    entry.pollsBetweenRetries = 1;
    setMode(entry, "events", detail);
  }

  function noteFailure(path: string | undefined, code: string): void {
    for (const entry of entries) {
      if (entry.state !== "unwatched" && (path === undefined || entry.path === path))
        giveUp(entry, explainFailure(code));
    }
  }

  function giveUp(entry: Entry, detail: string): void {
    release(entry);
    entry.pollsUntilRetry = entry.pollsBetweenRetries;
    entry.pollsBetweenRetries = Math.min(2 * entry.pollsBetweenRetries, mostPollsBetweenRetries);
    setMode(entry, "poll", detail);
  }

  /** Leaves the path watched where another target needs it. */
  function release(entry: Entry): void {
    const { path } = entry;
    entry.state = "unwatched";
    entry.path = undefined;
    entry.id = undefined;
    if (path !== undefined && !entries.some((other) => other.path === path)) source?.unwatch(path);
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
    if (entry.state !== "unwatched") {
      if (entry.id === found.id && entry.path === found.path) return;
      release(entry);
    } else if (entry.pollsUntilRetry > 0) {
      return;
    }
    entry.id = found.id;
    entry.path = found.path;
    entry.state = "arming";
    await arm(found.path);
  }

  async function arm(path: string): Promise<void> {
    if (source === undefined) return await open();
    watch(source, path);
  }

  async function open(): Promise<void> {
    if (isOpening) return;
    isOpening = true;
    try {
      const opened = await openSource({ event: noteEvent, failure: noteFailure, ready: confirmArming });
      if (isClosed) return await opened.close();
      source = opened;
      for (const path of new Set(entries.map((entry) => entry.path))) {
        if (path !== undefined) watch(opened, path);
      }
    } catch (error) {
      noteFailure(undefined, errorCode(error));
    } finally {
      isOpening = false;
    }
  }

  function watch(target: EventSource, path: string): void {
    try {
      target.watch(path);
    } catch (error) {
      noteFailure(path, errorCode(error));
      return;
    }
    if (target.isReady()) {
      cancelArming?.();
      cancelArming = clock.after(laterArmingMs, confirmArming);
    } else {
      cancelArming ??= clock.after(armingMs, () => void replaceSource(target));
    }
  }

  /** The path that never got ready may hold up all others, so nothing of this source is trusted any more. */
  async function replaceSource(stuck: EventSource): Promise<void> {
    source = undefined;
    cancelArming = undefined;
    for (const entry of entries) {
      if (entry.state !== "unwatched") giveUp(entry, "the watch did not get ready in time");
    }
    await stuck.close().catch(() => undefined);
  }

  /** No failure has been told since these were asked for. What changed before that sent no event, so: look. */
  function confirmArming(): void {
    cancelArming?.();
    cancelArming = undefined;
    for (const entry of entries) {
      if (entry.state !== "arming" || isClosed) continue;
      confirmWatch(entry, "the directory is watched");
      entry.burst.push();
    }
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
      if (entry?.state !== "watched" || entry.hasEvent || entry.hadEventBeforePoll) return false;
      setMode(entry, "poll", "the content changed and no event told of it");
      return true;
    },
    async close() {
      isClosed = true;
      cancelPolls();
      cancelArming?.();
      for (const entry of entries) entry.burst.close();
      await source?.close();
    },
  };
}
