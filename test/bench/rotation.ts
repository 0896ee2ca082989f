import process from "node:process";
import { createWorld, type World } from "../../examples/demo/world.ts";
import { until } from "../support/until.ts";
import { type Figure, median, percentile90 } from "./measure.ts";

const rounds = 30;

/** From the swap of the volume to the server's new certificate, with certhup and told by hand. */
export async function measureRotation(): Promise<readonly Figure[]> {
  const told = await withWorld(["--reload", "none"], async (world) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await rotateByHand(world));
    return times;
  });
  const served: number[] = [];
  const confirmed = await withWorld(["--min-interval", "0s"], async (world) => {
    for (let round = 0; round < rounds; round++) served.push(await rotate(world, round + 1));
    const { targets } = await world.agent.status();
    return targets[0].rotations.map(({ durationMs }: { durationMs: number }) => durationMs) as number[];
  });
  const floor = { what: "told by hand", value: median(told) };
  return [
    { what: "rotation: swap to served, median", unit: "ms", value: median(served), floor },
    { what: "rotation: swap to confirmed, median", unit: "ms", value: median(confirmed), floor },
    { what: "rotation: swap to confirmed, p90", unit: "ms", value: percentile90(confirmed) },
  ];
}

async function withWorld<Result>(flags: readonly string[], act: (world: World) => Promise<Result>): Promise<Result> {
  const world = await createWorld(flags);
  try {
    await until(
      () => world.agent.ready(),
      ({ text }) => text.includes("in-sync"),
    );
    return await act(world);
  } finally {
    await Promise.all([world.agent.stop(), world.server.stop()]);
  }
}

async function rotateByHand(world: World): Promise<number> {
  const pair = await world.issue();
  const startedMs = performance.now();
  await world.publish(pair);
  process.kill(world.server.pid, "SIGHUP");
  return untilServed(world, pair.fingerprint, startedMs);
}

async function rotate(world: World, count: number): Promise<number> {
  const pair = await world.issue();
  const startedMs = performance.now();
  await world.publish(pair);
  const tookMs = await untilServed(world, pair.fingerprint, startedMs);
  const ended = (): number => world.agent.events("rotation-ended").length;
  await until(ended, (seen) => seen >= count);
  return tookMs;
}

async function untilServed(world: World, fingerprint: string, startedMs: number): Promise<number> {
  while ((await world.served()) !== fingerprint) {
    if (performance.now() - startedMs > 30_000) throw new Error("the new certificate is not served after 30 s");
  }
  return performance.now() - startedMs;
}
