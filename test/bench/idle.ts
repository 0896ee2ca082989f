import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { createWorld } from "../../examples/demo/world.ts";
import { startChild } from "../support/child.ts";
import { until } from "../support/until.ts";
import { type Figure, privateMemoryKiB, processorMs } from "./measure.ts";

const settleMs = 5_000;
const watchedMs = 30_000;
const nothing = 'import "node:http"; import "node:tls"; setInterval(() => undefined, 1e6)';

/** What an agent costs while nothing happens: one target, in sync, everything as by default. */
export async function measureIdle(): Promise<readonly Figure[]> {
  const world = await createWorld([]);
  const bare = startChild(process.execPath, ["--input-type=module", "--eval", nothing]);
  try {
    await until(
      () => world.agent.ready(),
      ({ text }) => text.includes("in-sync"),
    );
    await delay(settleMs);
    const before = { agent: processorMs(world.agent.pid), bare: processorMs(bare.pid) };
    await delay(watchedMs);
    const used = { agent: processorMs(world.agent.pid) - before.agent, bare: processorMs(bare.pid) - before.bare };
    const floor = "Node with http and tls loaded";
    return [
      { what: "idle: processor time", unit: "ms/h", value: (used.agent * 3_600_000) / watchedMs },
      {
        what: "idle: private memory",
        unit: "MiB",
        value: privateMemoryKiB(world.agent.pid) / 1024,
        floor: { what: floor, value: privateMemoryKiB(bare.pid) / 1024 },
      },
    ];
  } finally {
    await Promise.all([world.agent.stop(), world.server.stop(), bare.stop()]);
  }
}
