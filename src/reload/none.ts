import type { ReloadStrategy } from "./reload-strategy.ts";

/** For servers that read their certificate by themselves: nothing is told, and the probe waits for them. */
export function createNoneStrategy(): ReloadStrategy {
  return {
    name: "none",
    prepare: async () => [],
    reload: async () => ({
      kind: "accepted",
      detail: "nothing was told: the server picks its certificate up by itself",
    }),
  };
}
