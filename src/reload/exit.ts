import type { ReloadStrategy } from "./reload-strategy.ts";

/**
 * Tells nobody: the outcome asks the agent to end itself with a status, on which the pod has a rule that starts all of
 * its containers anew (`RestartAllContainers`, Kubernetes 1.36). The agent ends; the strategy doesn't.
 */
export function createExitStrategy(options: { readonly status: number }): ReloadStrategy {
  const { status } = options;
  return {
    name: "exit",
    prepare: async () => [],
    reload: async () => ({
      kind: "accepted",
      detail: `the agent ends with status ${status}, so that the pod's rule restarts all containers`,
      exitStatus: status,
    }),
  };
}
