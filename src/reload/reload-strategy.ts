import type { Finding } from "../core/finding.ts";
import type { ReloadOutcome } from "../core/reload-outcome.ts";

/** One way to tell a server that its certificate changed. An expected failure is a value; a fault throws. */
export interface ReloadStrategy {
  /** The name used in configuration, logs and metrics. */
  readonly name: string;
  /**
   * Could a reload work now? Touches nothing: no signal but 0, no request. Empty means yes.
   * @throws nothing that a missing process, permission or server causes: those are findings
   */
  prepare(): Promise<readonly Finding[]>;
  /**
   * Asks the server to reload, once. Settles within the strategy's own time limit; `signal` ends it early.
   * After a refusal the server is as it was before.
   */
  reload(signal: AbortSignal): Promise<ReloadOutcome>;
}
