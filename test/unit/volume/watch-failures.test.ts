import { stat } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import type { EventSource, EventSourceHandlers } from "../../../src/volume/event-source.ts";
import { type VolumeWatch, watchVolumes } from "../../../src/volume/watch-volumes.ts";
import { until } from "../../support/until.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { createScratch } from "./scratch.ts";

interface Opened {
  readonly handlers: EventSourceHandlers;
  readonly watched: string[];
  isReady: boolean;
  isClosed: boolean;
}

interface Rig {
  readonly clock: ManualClock;
  readonly directory: string;
  readonly modes: string[];
  readonly opened: Opened[];
  readonly polls: () => number;
  readonly watch: VolumeWatch;
  /** Lets polls pass, each with some time for its look at the directory. */
  poll(times?: number): Promise<void>;
}

const pollMs = 1000;

/** A watch whose events come from the test: `open` decides what a source does when it is opened. */
async function createRig(open: (opened: Opened) => void): Promise<Rig> {
  const clock = createManualClock();
  const directory = await createScratch();
  const modes: string[] = [];
  const opened: Opened[] = [];
  let polls = 0;
  const openSource = async (handlers: EventSourceHandlers): Promise<EventSource> => {
    const source: Opened = { handlers, watched: [], isReady: false, isClosed: false };
    opened.push(source);
    open(source);
    return {
      watch: (path) => void source.watched.push(path),
      unwatch: () => undefined,
      isReady: () => source.isReady,
      close: async () => {
        source.isClosed = true;
      },
    };
  };
  const watch = watchVolumes(
    {
      directories: [directory],
      pollMs,
      clock,
      onHint: (_directory, cause) => {
        if (cause === "poll") polls += 1;
      },
      onMode: (_directory, mode, detail) => modes.push(`${mode}: ${detail}`),
    },
    openSource,
  );
  onTestFinished(() => watch.close());
  await until(
    () => opened.length,
    (count) => count === 1,
  );
  return {
    clock,
    directory,
    modes,
    opened,
    polls: () => polls,
    watch,
    async poll(times = 1) {
      for (let poll = 0; poll < times; poll++) {
        clock.advance(pollMs);
        // What the poll looks at on the disk is real, and in most cases seen before this is.
        for (let look = 0; look < 6; look++) await stat(directory);
      }
    },
  };
}

async function untilAskedFor(rig: Rig): Promise<void> {
  await until(
    () => rig.opened[0]?.watched.length,
    (count) => count === 1,
  );
}

const becomeReady = (source: Opened): void => {
  source.isReady = true;
  source.handlers.ready();
};

test("a watcher that never gets ready is told once, closed, and tried again while the poll goes on", async () => {
  const rig = await createRig(() => undefined);
  await untilAskedFor(rig);
  expect(rig.modes).toEqual([]);
  await rig.poll(6);
  expect(rig.modes).toEqual(["poll: the watch did not get ready in time"]);
  expect(rig.opened[0]?.isClosed).toBe(true);
  await rig.poll(60);
  expect(rig.modes).toHaveLength(1);
  expect(rig.opened.length).toBeGreaterThan(1);
  expect(rig.opened.length).toBeLessThan(12);
  expect(rig.polls()).toBe(66);
});

test("a watcher that is ready late is trusted from then on", async () => {
  const rig = await createRig(() => undefined);
  await untilAskedFor(rig);
  await rig.poll(2);
  rig.opened.forEach(becomeReady);
  expect(rig.modes).toEqual(["events: the directory is watched"]);
});

test("a watch that missed a change is set up anew, and trusted again once an event comes", async () => {
  const rig = await createRig(becomeReady);
  await untilAskedFor(rig);
  await until(
    () => rig.modes,
    (modes) => modes.length === 1,
  );
  const [source] = rig.opened;
  expect(rig.watch.reportFoundByPoll(rig.directory)).toBe(true);
  await until(
    async () => {
      await rig.poll();
      return source?.watched.length;
    },
    (count) => count === 2,
  );
  await rig.poll(3);
  expect(source?.watched).toHaveLength(2);
  expect(rig.modes).toEqual(["events: the directory is watched", "poll: the content changed and no event told of it"]);
  source?.handlers.event(rig.directory, false);
  expect(rig.modes.at(-1)).toBe("events: an event came");
});

test("a failure that comes later is told once, and the watch is tried again at growing distances", async () => {
  const rig = await createRig(() => undefined);
  await untilAskedFor(rig);
  const [source] = rig.opened;
  if (source === undefined) throw new Error("no source was opened");
  becomeReady(source);
  const tries: number[] = [];
  for (let poll = 1; poll <= 130; poll++) {
    source.handlers.failure(source.watched[0], "ENOSPC");
    const before = source.watched.length;
    await rig.poll();
    if (source.watched.length > before) tries.push(poll);
  }
  expect(rig.modes).toEqual([
    "events: the directory is watched",
    expect.stringMatching(/^poll: ENOSPC: .*max_user_watches/),
  ]);
  // At best after 1, 2, 4, 8, 16, 32 and 32 more polls.
  expect(tries.length).toBeGreaterThan(4);
  expect(tries.length).toBeLessThan(9);
});

test("a failure without a path means every directory", async () => {
  const rig = await createRig((source) => {
    source.isReady = true;
  });
  await untilAskedFor(rig);
  rig.opened[0]?.handlers.failure(undefined, "EIO");
  expect(rig.modes.at(-1)).toBe("poll: EIO: the directory can't be watched");
});

test("a watcher that can't even be opened leaves the poll, and is opened later", async () => {
  let refusals = 0;
  const rig = await createRig(() => {
    if (refusals++ < 3) throw Object.assign(new Error("refused"), { code: "EMFILE" });
  });
  await until(
    () => rig.poll().then(() => rig.opened.length),
    (count) => count === 4,
  );
  expect(rig.modes).toEqual([expect.stringMatching(/^poll: EMFILE: .*max_user_instances/)]);
  rig.opened.slice(3).forEach(becomeReady);
  expect(rig.modes.at(-1)).toBe("events: the directory is watched");
});

test("at rest nothing is pending but the poll", async () => {
  const rig = await createRig(() => undefined);
  await untilAskedFor(rig);
  rig.opened.forEach(becomeReady);
  await rig.poll(2);
  expect(rig.clock.pending()).toBe(1);
});
