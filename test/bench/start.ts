import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { bundle, startAgent } from "../support/agent.ts";
import { startChild } from "../support/child.ts";
import { type Figure, median } from "./measure.ts";

const rounds = 10;

/** From starting the process to what a pod waits for. */
export async function measureStart(): Promise<readonly Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), "certhup-bench-"));
  const bare = await repeat(() => runToEnd(["--eval", "0"]));
  const version = await repeat(() => runToEnd([bundle, "--version"]));
  const listening = await repeat(async () => {
    const startedMs = performance.now();
    const agent = await startAgent(["--cert-dir", directory, "--reload", "none", "--endpoint", "127.0.0.1:1"]);
    const { status } = await fetch(`${agent.url}/startupz`);
    if (status !== 200) throw new Error(`/startupz answered ${status}`);
    const tookMs = performance.now() - startedMs;
    await agent.stop();
    return tookMs;
  });
  await rm(directory, { recursive: true });
  const floor = { what: "node --eval 0", value: bare };
  return [
    { what: "start: certhup --version", unit: "ms", value: version, floor },
    { what: "start: run until /startupz is 200", unit: "ms", value: listening, floor },
  ];
}

async function runToEnd(args: readonly string[]): Promise<number> {
  const startedMs = performance.now();
  const status = await startChild(process.execPath, args).ended;
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}`);
  return performance.now() - startedMs;
}

async function repeat(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await measure());
  return median(times);
}
