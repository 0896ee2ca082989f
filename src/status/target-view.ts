import type { Finding } from "../core/finding.ts";
import type { Policy } from "../core/policy.ts";
import type { TargetState } from "../core/state.ts";
import type { Readiness } from "./readiness.ts";

/** One target as people and machines are shown it. */
export interface TargetView {
  readonly name: string;
  /** `undefined` where there is no volume. */
  readonly directory: string | undefined;
  readonly policy: Policy;
  readonly state: TargetState;
  readonly readiness: Readiness;
  /** What stands in the way of the next reload or of seeing the next renewal, found without touching anything. */
  readonly preflight: readonly Finding[];
  readonly watchMode: "events" | "poll";
}
