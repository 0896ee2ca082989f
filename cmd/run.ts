import { hostname } from "node:os";
import process from "node:process";
import { createAgent } from "../src/agent/agent.ts";
import type { Config } from "../src/config/config.ts";
import { readRunConfig } from "../src/config/read-config.ts";
import { keypairFindingCodes } from "../src/keypair/finding-codes.ts";
import { createMetrics, type Metrics } from "../src/metrics/metrics.ts";
import { listen } from "../src/server/listener.ts";
import { createRoutes } from "../src/server/routes.ts";
import { systemClock } from "../src/system/clock.ts";
import { createLog } from "../src/system/log.ts";
import type { Invocation } from "./cli.ts";
import { exitStatus } from "./exit-status.ts";
import { countNameLookups, prepareNameLookups } from "./name-lookups.ts";
import { print, printIssues } from "./print.ts";
import { endWithin, waitForShutdown } from "./shutdown.ts";

/** Far below the kubelet's grace, so that it never has to use SIGKILL. */
const shutdownLimitMs = 5_000;

/** `certhup run`: keeps the certificate in the volume served until the process is told to end. */
export async function run({ sources, issues, version }: Invocation): Promise<number> {
  const environment = { ...sources.environment };
  prepareNameLookups(countNameLookups(sources));
  const read = await readRunConfig(sources, hostname());
  const wrong = [...issues, ...(read.kind === "issues" ? read.issues : [])];
  if (read.kind === "issues" || wrong.length > 0) {
    print.error(printIssues(wrong));
    return exitStatus.usage;
  }
  const { config } = read;
  const shutdown = waitForShutdown();
  const clock = systemClock;
  const log = createLog(config.log);
  const metrics = meter(config, version);
  const agent = await createAgent(config, { clock, log, metrics, environment });
  const routes = createRoutes({
    views: () => agent.views(),
    now: () => clock.now(),
    metrics: async (views, at) => ({ contentType: metrics.contentType, body: await metrics.render(views, at) }),
    isAlive: () => agent.isAlive(),
  });
  const listener = await listen(config.listenAddress, routes, (error) => {
    const told = error instanceof Error ? error.stack : String(error);
    log.error({ event: "fault", during: "answer", error: told }, "fault");
  });
  log.info({ event: "started", version, node: process.versions.node, address: listener.url }, "certhup started");
  for (const { name, endpoints } of config.targets) {
    if (endpoints.length > 0) continue;
    log.warn(
      { event: "unverified", target: name },
      "no endpoint is probed: readiness rests on the reload's word alone",
    );
  }
  for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const) {
    process.on(signal, () => log.info({ event: "signal-ignored", signal }, "nothing to reload in the agent"));
  }
  agent.start();
  const ending = await Promise.race([shutdown, agent.exit]);
  log.info({ event: "stopping", cause: ending }, "certhup stops: no more reloads from here on");
  const status = typeof ending === "number" ? ending : exitStatus.good;
  endWithin(shutdownLimitMs, status);
  await Promise.all([agent.stop(), listener.close()]);
  return status;
}

function meter(config: Config, version: string): Metrics {
  const targets = config.targets.map(({ name, policy, reload }) => ({
    name,
    endpoints: policy.endpoints,
    strategies: reload.ladder.map((rung) => rung.name),
  }));
  return createMetrics(targets, Object.keys(keypairFindingCodes), { version, nodeVersion: process.versions.node });
}
