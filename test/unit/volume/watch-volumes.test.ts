import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/system/clock.ts";
import { type VolumeWatch, watchVolumes } from "../../../src/volume/watch-volumes.ts";
import { createSecretVolume } from "../../support/secret-volume.ts";
import { until } from "../../support/until.ts";
import { createScratch } from "./scratch.ts";

interface Recorded {
  readonly watch: VolumeWatch;
  readonly modes: string[];
  hintsFor(directory: string, cause: "event" | "poll"): number;
}

function watchRecorded(directories: readonly string[], pollMs = 60_000): Recorded {
  const modes: string[] = [];
  const hints: string[] = [];
  const watch = watchVolumes({
    directories,
    pollMs,
    clock: systemClock,
    onHint: (directory, cause) => hints.push(`${directory} ${cause}`),
    onMode: (_directory, mode, detail) => modes.push(`${mode}: ${detail}`),
  });
  onTestFinished(() => watch.close());
  const hintsFor = (directory: string, cause: string) =>
    hints.filter((hint) => hint === `${directory} ${cause}`).length;
  return { watch, modes, hintsFor };
}

const isEvents = (mode: string | undefined): boolean => mode?.startsWith("events") === true;

async function untilWatched(recorded: Recorded, count = 1): Promise<void> {
  const isWatched = (modes: readonly string[]) => modes.filter((mode) => mode.startsWith("events")).length >= count;
  await until(() => recorded.modes, isWatched, { what: "events" });
}

test("each of many swaps in a row gives a hint", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish({ "tls.crt": "0" });
  const recorded = watchRecorded([volume.directory]);
  await untilWatched(recorded);
  for (let swap = 1; swap <= 8; swap++) {
    const before = recorded.hintsFor(volume.directory, "event");
    await volume.publish({ "tls.crt": String(swap) });
    await until(
      () => recorded.hintsFor(volume.directory, "event"),
      (hints) => hints > before,
    );
  }
  expect(recorded.modes).toEqual(["events: the directory is watched"]);
});

test("once a directory is watched, a hint asks for what came before", async () => {
  const volume = await createSecretVolume(await createScratch());
  const recorded = watchRecorded([volume.directory]);
  await volume.publish({ "tls.crt": "0" });
  await until(
    () => recorded.hintsFor(volume.directory, "event"),
    (hints) => hints > 0,
  );
});

test("a directory that appears late is polled and then watched", async () => {
  const directory = join(await createScratch(), "certs");
  const recorded = watchRecorded([directory], 100);
  await until(
    () => recorded.hintsFor(directory, "poll"),
    (hints) => hints >= 2,
  );
  expect(recorded.modes).toEqual(["poll: the directory does not exist"]);
  await mkdir(directory);
  await untilWatched(recorded);
  const before = recorded.hintsFor(directory, "event");
  await writeFile(join(directory, "tls.crt"), "1");
  await until(
    () => recorded.hintsFor(directory, "event"),
    (hints) => hints > before,
  );
});

test("a directory that is removed and made again is watched anew", async () => {
  const directory = join(await createScratch(), "certs");
  await mkdir(directory);
  const recorded = watchRecorded([directory], 100);
  await untilWatched(recorded);
  await rm(directory, { recursive: true });
  await until(
    () => recorded.modes,
    (modes) => modes.at(-1) === "poll: the directory does not exist",
  );
  await mkdir(directory);
  await untilWatched(recorded, 2);
  expect(recorded.modes).toHaveLength(3);
});

test("a directory that is removed and made again at once, time and again, stays watched", async () => {
  const directory = join(await createScratch(), "certs");
  await mkdir(directory);
  const recorded = watchRecorded([directory], 100);
  await untilWatched(recorded);
  for (let time = 0; time < 20; time++) {
    await rm(directory, { recursive: true });
    // Now at once, now only when the loss has been seen: the new directory often has the inode number of the old one.
    if (time % 4 === 0)
      await until(
        () => recorded.modes.at(-1),
        (mode) => mode?.startsWith("poll") === true,
      );
    await mkdir(directory);
    await writeFile(join(directory, "tls.crt"), "1");
  }
  await until(() => recorded.modes.at(-1), isEvents);
  const before = recorded.hintsFor(directory, "event");
  await writeFile(join(directory, "tls.crt"), "2");
  await until(
    () => recorded.hintsFor(directory, "event"),
    (hints) => hints > before,
  );
  expect(recorded.modes.at(-1)).toMatch(/^events/);
});

test("a directory that is moved away and replaced is watched anew without a word", async () => {
  const scratch = await createScratch();
  const directory = join(scratch, "certs");
  await mkdir(directory);
  await mkdir(join(scratch, "next"));
  const recorded = watchRecorded([directory]);
  await untilWatched(recorded);
  const before = recorded.hintsFor(directory, "event");
  await rename(directory, join(scratch, "old"));
  await rename(join(scratch, "next"), directory);
  // Once for the move, once when the new directory is watched.
  await until(
    () => recorded.hintsFor(directory, "event"),
    (hints) => hints >= before + 2,
  );
  const replaced = recorded.hintsFor(directory, "event");
  await writeFile(join(directory, "tls.crt"), "1");
  await until(
    () => recorded.hintsFor(directory, "event"),
    (hints) => hints > replaced,
  );
  expect(recorded.modes).toEqual(["events: the directory is watched"]);
});

test("a link to a directory is followed to its new target", async () => {
  const scratch = await createScratch();
  const directory = join(scratch, "current");
  for (const release of ["1", "2"]) await mkdir(join(scratch, release));
  await symlink("1", directory);
  const recorded = watchRecorded([directory], 100);
  await untilWatched(recorded);
  await symlink("2", join(scratch, "next"));
  await rename(join(scratch, "next"), directory);
  await until(async () => {
    const before = recorded.hintsFor(directory, "event");
    await writeFile(join(scratch, "2", "tls.crt"), "1");
    return recorded.hintsFor(directory, "event") > before;
  }, Boolean);
});

test("a generation itself can be the directory, and swaps don't end its watch", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish({ "tls.crt": "0" });
  const directory = join(volume.directory, "..data");
  const recorded = watchRecorded([directory], 100);
  await untilWatched(recorded);
  for (let swap = 1; swap <= 5; swap++) {
    const before = recorded.hintsFor(directory, "event") + recorded.hintsFor(directory, "poll");
    await volume.publish({ "tls.crt": String(swap) });
    await until(
      () => recorded.hintsFor(directory, "event") + recorded.hintsFor(directory, "poll"),
      (hints) => hints > before,
    );
  }
});

test("a link through a regular file doesn't stop the watch", async () => {
  const directory = await createScratch();
  await writeFile(join(directory, "file"), "");
  await symlink("file/below", join(directory, "link"));
  const recorded = watchRecorded([directory]);
  await untilWatched(recorded);
  const before = recorded.hintsFor(directory, "event");
  await writeFile(join(directory, "tls.crt"), "1");
  await until(
    () => recorded.hintsFor(directory, "event"),
    (hints) => hints > before,
  );
});

test("two targets in one directory are both told, and one that is odd disturbs none", async () => {
  const scratch = await createScratch();
  const odd = join(scratch, "with\\backslash");
  const shared = join(scratch, "shared");
  await mkdir(odd);
  await mkdir(shared);
  const again = `${shared}/`;
  const recorded = watchRecorded([shared, again, odd]);
  await untilWatched(recorded, 2);
  const before = [shared, again].map((directory) => recorded.hintsFor(directory, "event"));
  await writeFile(join(shared, "tls.crt"), "1");
  await until(
    () => [shared, again].map((directory) => recorded.hintsFor(directory, "event")),
    (hints) => hints.every((count, index) => count > (before[index] ?? 0)),
  );
  expect(recorded.modes.filter((mode) => mode.startsWith("poll"))).toEqual([
    "poll: EINVAL: the directory can't be watched",
  ]);
});

test("a change that an event told of was not missed, and one in a file elsewhere was", async () => {
  const scratch = await createScratch();
  const directory = join(scratch, "certs");
  await mkdir(directory);
  const recorded = watchRecorded([directory], 100);
  await untilWatched(recorded);
  await until(
    () => recorded.hintsFor(directory, "poll"),
    (polls) => polls >= 3,
  );

  expect(recorded.watch.reportFoundByPoll(directory)).toBe(true);
  expect(recorded.modes.at(-1)).toBe("poll: the content changed and no event told of it");
  expect(recorded.watch.reportFoundByPoll("/elsewhere")).toBe(false);

  await until(async () => {
    await writeFile(join(directory, "tls.crt"), "1");
    return recorded.modes.at(-1);
  }, isEvents);
  expect(recorded.modes.at(-1)).toBe("events: an event came");
  expect(recorded.watch.reportFoundByPoll(directory)).toBe(false);
});

test("after it is closed nothing is told any more", async () => {
  const directory = await createScratch();
  const recorded = watchRecorded([directory], 50);
  await untilWatched(recorded);
  await recorded.watch.close();
  const before = recorded.hintsFor(directory, "event") + recorded.hintsFor(directory, "poll");
  await writeFile(join(directory, "tls.crt"), "1");
  const other = watchRecorded([directory], 50);
  await until(
    () => other.hintsFor(directory, "poll"),
    (polls) => polls >= 3,
  );
  expect(recorded.hintsFor(directory, "event") + recorded.hintsFor(directory, "poll")).toBe(before);
});
