import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hrtime, ppid } from "node:process";
import { expect, test } from "vitest";
import { readProcessAge } from "../../../src/process/process-age.ts";
import { readProcessStat } from "../../../src/process/process-info.ts";
import { createProcTree } from "../../support/proc-fixture.ts";

const ownAgeMs = 60_000;

/** The age of a server by a `/proc` whose `uptime` says 1000 s, while start times are from 9000 s after boot on. */
async function ageOf(startTime: number): Promise<number> {
  await using tree = await createProcTree(20, [
    { pid: 20, ppid: 0, comm: "node", startTime: 900_000 },
    { pid: 7, ppid: 0, comm: "nginx", startTime },
  ]);
  await writeFile(join(tree.root, "uptime"), "1000.00 900.00\n");
  return await readProcessAge({ startTime }, tree.root, ownAgeMs);
}

test("a server that was started before the agent is older by as much, whatever an uptime that lxcfs wrote says", async () => {
  expect(await ageOf(890_000)).toBe(160_000);
  expect(await ageOf(899_999)).toBe(60_010);
});

test("a server that was started after the agent is younger by as much", async () => {
  expect(await ageOf(903_000)).toBe(30_000);
});

test("a server that was started this moment is not younger than nothing", async () => {
  expect(await ageOf(906_001)).toBe(0);
});

test("the age of a real process is what the kernel's clock makes of it", async () => {
  const startTime = readProcessStat(ppid, "/proc")?.startTime ?? Number.NaN;
  const age = await readProcessAge({ startTime });
  expect(Math.abs(Number(hrtime.bigint() / 1_000_000n) - startTime * 10 - age)).toBeLessThan(2_000);
});
