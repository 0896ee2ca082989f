import type { ReloadConfig } from "../config/config.ts";
import type { Finding } from "../core/finding.ts";
import type { RestartPermission } from "../reload/restart.ts";

/**
 * May containers be started anew now?
 *
 * What has not run for long was restarted already, perhaps by an agent that has died since; or would run into the
 * kubelet's back-off (Kubernetes documentation, "Pod Lifecycle", container restarts). And under a subPath mount whose
 * source was replaced a container may not start again (kubernetes/kubernetes#68211).
 *
 * @param who what would end, for people: `the server`
 * @param ageMs how long it has been running
 * @param frozen what is known against mounts now
 */
export function permitRestart(
  who: string,
  ageMs: number,
  { restartMinIntervalMs, allowSubPath }: Pick<ReloadConfig, "restartMinIntervalMs" | "allowSubPath">,
  frozen: readonly Finding[],
): RestartPermission {
  const subPath = frozen.find(isSubPath);
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
    detail: `${who} runs for ${toSeconds(ageMs)} only, and is restarted after ${toSeconds(restartMinIntervalMs)} at the earliest`,
    retryAfterMs: restartMinIntervalMs - ageMs,
  };
}

/** Is this a mount that will never follow a renewal? */
export function isSubPath({ code }: Finding): boolean {
  return code.startsWith("subpath-mount");
}

function toSeconds(durationMs: number): string {
  return `${Math.round(durationMs / 1000)}s`;
}
