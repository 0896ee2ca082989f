/** What a target wants of the core: settled at start, never changed while the agent runs. Durations in milliseconds. */
export interface Policy {
  /** One label for each endpoint, in the order of the configuration; empty means that nothing can be verified. */
  readonly endpoints: readonly string[];
  /** False where the server picks the new pair up by itself (`--reload none`). */
  readonly hasReload: boolean;
  /** Consecutive rounds of probes in which every endpoint must show the wanted certificate. At least 1. */
  readonly confirm: number;
  /** How long after an accepted reload an old answer is no reason for another one. */
  readonly verifyTimeoutMs: number;
  /** Time between two rounds of the watchdog while everything is as it should be. */
  readonly verifyIntervalMs: number;
  /** How long an older certificate may be served before the target counts as stale. */
  readonly staleGraceMs: number;
  /** How long the content of a volume that isn't atomic must rest before it is taken up. */
  readonly settleMs: number;
  /** How long a half-written or unreadable state is waited out before it is called wrong. */
  readonly writeGraceMs: number;
}

/** Waiting times that no user needs to set, in milliseconds. */
export const pace = {
  /** Between the rounds of a confirmation: nginx still answers with the old certificate for 100 ms after SIGHUP. */
  confirmMs: 60,
  /** The first probe after trouble began; later ones wait for a quarter of the time that has passed. */
  firstProbeMs: 50,
  slowestProbeMs: 5_000,
  firstRetryMs: 1_000,
  slowestRetryMs: 300_000,
} as const;
