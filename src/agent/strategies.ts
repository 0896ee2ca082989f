import type { ReloadConfig, RungConfig } from "../config/config.ts";
import type { Finding } from "../core/finding.ts";
import { createStrategy, type StrategyConfig } from "../reload/create-strategy.ts";
import type { ReloadStrategy } from "../reload/reload-strategy.ts";
import type { RestartCandidate, RestartPermission } from "../reload/restart.ts";
import type { Clock } from "../system/clock.ts";

/** What strategies ask the agent at the moment of a reload. */
export interface StrategyContext {
  readonly clock: Clock;
  /** Fingerprints of leaves that are ours: the wanted one and those before it. */
  ourFingerprints(): readonly string[];
  /** What is known against mounts and processes now. */
  findings(): readonly Finding[];
}

/** The strategies of a ladder, each loaded only because it is configured. */
export function createStrategies(config: ReloadConfig, context: StrategyContext): Promise<readonly ReloadStrategy[]> {
  return Promise.all(config.ladder.map((rung) => createStrategy(complete(rung, config, context))));
}

function complete(rung: RungConfig, config: ReloadConfig, context: StrategyContext): StrategyConfig {
  const { clock } = context;
  switch (rung.name) {
    case "signal":
      return rung;
    case "nginx":
    case "exec":
      return { ...rung, clock };
    case "http":
      return { ...rung, clock, trustedFingerprints: () => context.ourFingerprints() };
    case "restart":
      return { ...rung, clock, permit: (candidate) => permitRestart(candidate, config, context.findings()) };
    case "exit":
      return rung;
  }
}

/**
 * A server that has not run for long was restarted already, perhaps by an agent that has died since, or would run into
 * the kubelet's back-off (Kubernetes documentation, "Pod Lifecycle", container restarts).
 */
function permitRestart(
  { ageMs }: RestartCandidate,
  { restartMinIntervalMs, allowSubPath }: ReloadConfig,
  findings: readonly Finding[],
): RestartPermission {
  const subPath = findings.find(({ code }) => code.startsWith("subpath-mount"));
  if (subPath !== undefined && !allowSubPath) {
    const detail = `${subPath.message}; a restarted container might not start again`;
    return {
      kind: "withheld",
      reason: "subpath-mount",
      detail,
      ...(subPath.hint === undefined ? {} : { hint: subPath.hint }),
    };
  }
  if (ageMs >= restartMinIntervalMs) return { kind: "granted" };
  return {
    kind: "withheld",
    reason: "restart-too-soon",
    detail: `the server runs for ${Math.round(ageMs / 1000)}s only, and is restarted after ${Math.round(restartMinIntervalMs / 1000)}s at the earliest`,
    retryAfterMs: restartMinIntervalMs - ageMs,
  };
}
