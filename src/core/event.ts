import type { Instant } from "../system/clock.ts";
import type { ProbeResult } from "./probe-result.ts";
import type { ReloadOutcome } from "./reload-outcome.ts";
import type { VolumeLook } from "./volume-look.ts";

/** Something that happened, and when. */
export type Event = { readonly at: Instant } & (
  | { readonly type: "looked"; readonly look: VolumeLook }
  /** The look ended in a fault of the program: nothing is known that wasn't known before. */
  | { readonly type: "look-failed" }
  | {
      readonly type: "probed";
      readonly round: number;
      /** One for each endpoint of the policy, in its order. */
      readonly results: readonly ProbeResult[];
    }
  | { readonly type: "reload-settled"; readonly outcome: ReloadOutcome }
  | { readonly type: "woken" }
  | { readonly type: "stop-requested" }
);
