/** How long a probe may take. */
export interface ProbeLimits {
  /** Everything together, in milliseconds. */
  readonly wholeMs: number;
  /**
   * Each step by itself, in milliseconds: finding the name's address, connecting, what comes before TLS, the handshake.
   * A server that hangs in one of them is given up before the time for all of them is over.
   */
  readonly stepMs: number;
}
