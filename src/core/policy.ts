/** What a target wants of the core: settled at start, never changed while the agent runs. Durations in milliseconds. */
export interface Policy {
  /** There is no volume: the endpoints are only looked at. */
  readonly isWatchOnly: boolean;
  /** One label for each endpoint, in the order of the configuration; empty means that nothing can be verified. */
  readonly endpoints: readonly string[];
  /** Ways to tell the server, the gentlest first; empty where it picks the new pair up by itself (`--reload none`). */
  readonly ladder: readonly Rung[];
  /** Reloads of this target are at least this far apart; what comes faster collapses to the newest content. */
  readonly minIntervalMs: number;
  /** From 0 up to 1, another one for each replica: the share of a spread that this replica waits. */
  readonly spreadShare: number;
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

/** One way to tell the server. */
export interface Rung {
  /** As it is called in configuration, logs and metrics. */
  readonly strategy: string;
  /** How often it is tried before the next rung; the last one is tried for ever. At least 1. */
  readonly attempts: number;
  /** For a rung that interrupts the server: its first try is spread over this time; 0 for the others. */
  readonly spreadMs: number;
  /** Least time between two tries, for a rung that interrupts the server; it doubles with each that did not help. */
  readonly leastRetryMs: number;
}

/** Waiting times that no user needs to set, in milliseconds. */
export const pace = {
  /** Between the rounds of a confirmation: nginx still answers with the old certificate for 100 ms after SIGHUP. */
  confirmMs: 60,
  /** The first probe after trouble began; later ones wait for a quarter of the time that has passed. */
  firstProbeMs: 50,
  slowestProbeMs: 5_000,
  /** How soon after a look at a volume that is being written a reload may be thought of again. */
  settledCheckMs: 100,
  firstRetryMs: 1_000,
  slowestRetryMs: 300_000,
  /** For a rung that interrupts the server again and again without any use. */
  slowestInterruptionMs: 86_400_000,
  /** The longest wait where the served certificate has ended. */
  endedRetryMs: 30_000,
  /** For a server that turned the reload down and will do so again until somebody changes something. */
  turnedDownRetryMs: 60_000,
  /** For a server that isn't there yet: looking for it costs little. */
  absentRetryMs: 5_000,
} as const;
