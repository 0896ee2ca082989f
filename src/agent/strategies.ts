import type { ReloadConfig, RungConfig } from "../config/config.ts";
import type { Finding } from "../core/finding.ts";
import { createStrategy, type StrategyConfig } from "../reload/create-strategy.ts";
import type { ReloadStrategy } from "../reload/reload-strategy.ts";
import type { RestartPermission } from "../reload/restart.ts";
import type { Clock } from "../system/clock.ts";
import { createRestartOnce, type RestartOnce } from "./restart-once.ts";
import { permitRestart } from "./restart-permission.ts";

/** What strategies ask the agent at the moment of a reload. */
export interface StrategyContext {
  readonly clock: Clock;
  /** Of the commands that strategies run. */
  readonly environment: NodeJS.ProcessEnv;
  /** Fingerprints of leaves that are ours: the wanted one and those before it. */
  ourFingerprints(): readonly string[];
  /** Looks now for the mounts that will never follow a renewal. */
  findFrozenMounts(): Promise<readonly Finding[]>;
}

/** A server that was told to end is not told again within this time, however short the restart interval. */
const leastPatienceMs = 60_000;

/** The strategies of a ladder, each loaded only because it is configured. */
export function createStrategies(config: ReloadConfig, context: StrategyContext): Promise<readonly ReloadStrategy[]> {
  const startedMs = context.clock.now().monotonicMs;
  const permit = async (who: string, ageMs: number): Promise<RestartPermission> =>
    permitRestart(who, ageMs, config, await context.findFrozenMounts());
  const { clock } = context;
  const forgetMs = Math.max(config.restartMinIntervalMs, leastPatienceMs);
  const once = createRestartOnce(clock, forgetMs, ({ ageMs }) => permit("the server", ageMs));
  return Promise.all(
    config.ladder.map(async (rung) => {
      const strategy = await createStrategy(complete(rung, context, once));
      if (rung.name === "restart") return once.watch(strategy);
      // The agent is restarted with the server, so that its own age tells when that was done last.
      const permitExit = () => permit("the agent", clock.now().monotonicMs - startedMs);
      return rung.name === "exit" ? guard(strategy, permitExit) : strategy;
    }),
  );
}

function complete(rung: RungConfig, context: StrategyContext, once: RestartOnce): StrategyConfig {
  const { clock, environment } = context;
  switch (rung.name) {
    case "signal":
      return rung;
    case "nginx":
    case "exec":
      return { ...rung, clock, environment };
    case "http":
      return { ...rung, clock, trustedFingerprints: () => context.ourFingerprints() };
    case "restart":
      return { ...rung, clock, permit: (candidate) => once.permit(candidate) };
    case "exit":
      return rung;
  }
}

/** Asks each time before the strategy is carried out. */
function guard(strategy: ReloadStrategy, permit: () => Promise<RestartPermission>): ReloadStrategy {
  return {
    name: strategy.name,
    prepare: () => strategy.prepare(),
    async reload(signal) {
      const permission = await permit();
      return permission.kind === "granted" ? strategy.reload(signal) : { ...permission, kind: "refused" };
    },
  };
}
