// The story of certhup in half a minute, with a real server, real handshakes and the agent that ships.
// Usage: node examples/demo/demo.ts [--keep]
import process from "node:process";
import { parseArgs, styleText } from "node:util";
import { until } from "../../test/support/until.ts";
import { heading, type Observation, tell, tellSummary } from "./narrator.ts";
import { playIgnoredSignal, playRefusal, playRenewal, type Scene } from "./scenes.ts";
import { createWorld, type World } from "./world.ts";

const { values: flags } = parseArgs({ options: { keep: { type: "boolean", default: false } } });
const observations: Observation[] = [];
const startedMs = performance.now();

for (const [signal, status] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
  process.once(signal, () => process.exit(status));
}
// Whoever reads along may stop reading: `npm run demo | head`.
process.stdout.once("error", () => process.exit(1));

try {
  await play();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`${styleText("red", "error:", { stream: process.stderr })} the demo could not be played: ${message}`);
  process.exit(1);
}

async function play(): Promise<void> {
  heading("certhup: a renewed certificate becomes a served one, and a handshake proves it\n");
  const world = await start("loads its keypair at start, and on SIGHUP", []);
  await scene("1  A renewal is served", playRenewal, world);
  await scene("2  A bad keypair is refused", playRefusal, world);
  heading("3  A server says that it reloads, and doesn't");
  const impatience = ["--verify-timeout", "1s", "--stale-grace", "3s"];
  const deaf = await start("logs on SIGHUP, and changes nothing", impatience, ["--ignore-hup"]);
  await scene(undefined, playIgnoredSignal, deaf);

  tellSummary(observations);
  const missing = observations.filter(({ isSeen }) => !isSeen).length;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  heading(
    missing === 0 ? `All of it happened, in ${seconds} s.` : `${missing} of ${observations.length} did not happen.`,
  );
  const status = missing === 0 ? 0 : 1;
  if (!flags.keep) process.exit(status);
  keep(status, [world, deaf]);
}

/** Starts a world and waits until its agent has proved the first certificate. */
async function start(
  habit: string,
  agentFlags: readonly string[],
  serverFlags: readonly string[] = [],
): Promise<World> {
  const world = await createWorld(["--watch-interval", "1s", ...agentFlags], serverFlags);
  const { volume, server, agent, endpoint } = world;
  tell("kubelet", `${volume.directory}, a Secret volume`);
  tell("server", `${endpoint}, pid ${server.pid}: ${habit}`);
  tell("agent", `${agent.url}, pid ${agent.pid}: dist/certhup.mjs run --cert-dir … --endpoint ${endpoint}`);
  await until(
    () => agent.ready(),
    ({ text }) => text.includes("in-sync"),
    { what: "the agent to be in sync with the first certificate" },
  );
  return world;
}

async function scene(title: string | undefined, act: Scene, world: World): Promise<void> {
  if (title !== undefined) heading(title);
  observations.push(...(await act(world)));
}

function keep(status: number, worlds: readonly World[]): void {
  heading("Everything runs on until Ctrl-C. Look around:\n");
  for (const { agent, endpoint, volume } of worlds) {
    for (const path of ["readyz", "status", "metrics"]) console.log(`   curl ${agent.url}/${path}`);
    console.log(`   node dist/certhup.mjs check --cert-dir ${volume.directory} --endpoint ${endpoint}\n`);
  }
  process.removeAllListeners("SIGINT");
  process.once("SIGINT", () => process.exit(status));
}
