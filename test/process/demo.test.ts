import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startChild } from "../support/child.ts";
import { endWithTest } from "../support/stage.ts";
import { until } from "../support/until.ts";

const demo = fileURLToPath(new URL("../../examples/demo/demo.ts", import.meta.url));

/** What a demo started: its processes and its folders, as it tells them. */
function readTraces(output: string): { readonly pids: readonly number[]; readonly folders: readonly string[] } {
  return {
    pids: [...output.matchAll(/, pid (\d+): /g)].map(([, pid]) => Number(pid)),
    folders: [...output.matchAll(/(\S+), a Secret volume/g)].map(([, folder = ""]) => folder),
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // There is no such process.
    return false;
  }
}

async function expectNothingLeft(output: string, worlds: number): Promise<void> {
  const { pids, folders } = readTraces(output);
  expect([pids.length, folders.length]).toEqual([2 * worlds, worlds]);
  expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  await until(
    () => pids.filter(isRunning),
    (left) => left.length === 0,
    { what: "the demo's processes to end" },
  );
}

test("the demo plays its story, measures it, and leaves nothing behind", async () => {
  const child = startChild(process.execPath, [demo], { NO_COLOR: "1" });
  endWithTest("demo", child);
  expect(await child.ended, child.output()).toBe(0);
  const output = child.standardOutput();
  expect(output).toMatch(/All of it happened, in \d+\.\d s\./);
  expect(output.match(/^ ✔ /gm)).toHaveLength(11);
  expect(output).not.toContain("✘");
  expect(output).not.toContain("\u001b[");
  await expectNothingLeft(output, 2);
});

test("with --keep everything runs on under the printed addresses, until it is interrupted", async () => {
  const child = startChild(process.execPath, [demo, "--keep"]);
  endWithTest("demo", child);
  await child.untilOutput(/Look around/, 30_000);
  await child.untilOutput(/(curl \S+readyz[\s\S]+){2}certhup\.mjs check \S+ \S+ \S+ \S+\n\n$/);
  const urls = [...child.output().matchAll(/curl (\S+\/readyz)/g)].map(([, url = ""]) => url);
  const statuses = await Promise.all(urls.map(async (url) => (await fetch(url)).status));
  expect(statuses).toEqual([200, 503]);
  child.kill("SIGINT");
  expect(await child.ended).toBe(0);
  await expectNothingLeft(child.output(), 2);
});

test("a demo that is ended half-way leaves nothing behind", async () => {
  const child = startChild(process.execPath, [demo]);
  endWithTest("demo", child);
  await child.untilOutput(/1 {2}A renewal is served/);
  child.kill("SIGTERM");
  expect(await child.ended).toBe(143);
  await expectNothingLeft(child.output(), 1);
});
