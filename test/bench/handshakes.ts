import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createWorld } from "../../examples/demo/world.ts";
import { bundle } from "../support/agent.ts";
import { startChild } from "../support/child.ts";
import { type Figure, privateMemoryKiB } from "./measure.ts";

const many = 5_000;
const few = 500;

/** How fast `certhup probe` asks many endpoints, beside what openssl manages with the same server. */
export async function measureHandshakes(): Promise<readonly Figure[]> {
  const world = await createWorld([]);
  const directory = await mkdtemp(join(tmpdir(), "certhup-bench-"));
  try {
    const fewKiB = (await probe(directory, world.endpoint, few)).peakKiB;
    const { tookMs, peakKiB } = await probe(directory, world.endpoint, many);
    const openssl = await handshakesPerSecond(world.endpoint);
    const floor = { what: "openssl s_time -new", value: openssl };
    return [
      { what: "probe: handshakes", unit: "/s", value: (many / tookMs) * 1000, floor },
      {
        what: `probe: private memory at ${many}`,
        unit: "MiB",
        value: peakKiB / 1024,
        floor: { what: `at ${few}`, value: fewKiB / 1024 },
      },
    ];
  } finally {
    await rm(directory, { recursive: true });
    await Promise.all([world.agent.stop(), world.server.stop()]);
  }
}

/** Probes one server under as many names. */
async function probe(directory: string, endpoint: string, count: number): Promise<{ tookMs: number; peakKiB: number }> {
  const file = join(directory, "endpoints.txt");
  const endpoints = Array.from({ length: count }, (_, number) => `tls://${endpoint}?servername=n${number}.example`);
  await writeFile(file, endpoints.join("\n"));
  const startedMs = performance.now();
  const child = startChild(bundle, ["probe", "--file", file, "--output", "prometheus"]);
  let peakKiB = 0;
  const look = setInterval(() => {
    peakKiB = Math.max(peakKiB, privateMemoryKiB(child.pid));
  }, 100);
  child.ended.finally(() => clearInterval(look)).catch(() => undefined);
  const status = await child.ended;
  if (status !== 0) throw new Error(`certhup probe ended with ${status}: ${child.output().slice(-500)}`);
  return { tookMs: performance.now() - startedMs, peakKiB };
}

async function handshakesPerSecond(endpoint: string): Promise<number> {
  const seconds = 5;
  const args = ["s_time", "-connect", endpoint, "-new", "-time", String(seconds)];
  const { stdout } = await promisify(execFile)("openssl", args);
  const [, connections] = /(\d+) connections in [\d.]+ real seconds/.exec(stdout) ?? [];
  return Number(connections) / seconds;
}
