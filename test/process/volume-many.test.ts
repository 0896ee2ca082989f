import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/system/clock.ts";
import { readVolume } from "../../src/volume/read-volume.ts";
import { watchVolumes } from "../../src/volume/watch-volumes.ts";
import { createSecretVolume } from "../support/secret-volume.ts";
import { until } from "../support/until.ts";
import { createScratch, requestFor } from "../unit/volume/scratch.ts";

/** Swaps all volumes twice, as fast as can be; gives the hints that each swap cost, once every look has found the last version. */
async function hintsPerSwap(count: number): Promise<number> {
  const scratch = await createScratch();
  const volumes = await Promise.all(
    Array.from({ length: count }, (_, index) => createSecretVolume(join(scratch, String(index)))),
  );
  const publish = async (version: string): Promise<void> => {
    for (const volume of volumes) await volume.publish({ "tls.crt": version, "tls.key": version });
  };
  await publish("1");

  const found = new Map<string, string>();
  const watched = new Set<string>();
  let hints = 0;
  const look = async (directory: string): Promise<void> => {
    const read = await readVolume(requestFor(directory));
    if (read.kind === "read") found.set(directory, `${read.certificate} ${read.key}`);
  };
  const watch = watchVolumes({
    directories: volumes.map(({ directory }) => directory),
    pollMs: 60_000,
    clock: systemClock,
    onHint(directory) {
      hints += 1;
      void look(directory);
    },
    onMode(directory, mode) {
      if (mode === "events") watched.add(directory);
    },
  });
  onTestFinished(() => watch.close());
  await until(
    () => watched.size,
    (size) => size === count,
  );
  const untilAllFound = (version: string) =>
    until(
      () => [...found.values()].filter((text) => text === `${version} ${version}`).length,
      (done) => done === count,
      { timeoutMs: 20_000 },
    );
  await untilAllFound("1");

  const before = hints;
  for (const version of ["2", "3"]) {
    await publish(version);
    await untilAllFound(version);
  }
  return (hints - before) / (2 * count);
}

test("500 volumes swapped at once all reach their newest content, and no swap costs more for it", async () => {
  const few = await hintsPerSwap(5);
  const many = await hintsPerSwap(500);
  expect(few).toBeLessThanOrEqual(6);
  // A slow swap of a busy machine is a longer burst; what must not be seen is a cost that grows with the targets.
  expect(many).toBeLessThanOrEqual(8);
});
