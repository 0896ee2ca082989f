import type { Instant } from "../system/clock.ts";
import type { Policy } from "./policy.ts";
import { probeNow } from "./probing.ts";
import type { ReloadOutcome } from "./reload-outcome.ts";
import { backOff, startReload, startVerifying } from "./rotating.ts";
import type { LastReload } from "./state.ts";
import { announce, change, type Step } from "./step.ts";

/** The reload ended: look whether it worked, tell again for newer content, or wait before the next try. */
export function onReloadSettled(step: Step, outcome: ReloadOutcome, at: Instant, policy: Policy): Step {
  const { work, rotation, wanted } = step.state;
  if (work.kind !== "reloading") return step;
  const settled = announce(change(step, { lastReload: toLastReload(outcome, at) }), {
    event: "reload-settled",
    outcome,
    attempt: work.attempt,
  });
  if (rotation === undefined) return probeNow(change(settled, { work: { kind: "idle" } }), policy);
  if (wanted?.source.contentHash !== work.contentHash) return startReload(settled, 1, at, policy);
  if (outcome.kind === "refused") return probeNow(backOff(settled, work.attempt, outcome.detail, at), policy);
  // Without an endpoint the reload's word is all there is, and a reload that ran out of time gave none.
  if (outcome.kind === "timed-out" && policy.endpoints.length === 0) {
    return backOff(settled, work.attempt, "the reload ran out of time", at);
  }
  return startVerifying(settled, work.attempt, at, policy);
}

function toLastReload(outcome: ReloadOutcome, at: Instant): LastReload {
  switch (outcome.kind) {
    case "accepted":
      return { outcome: "accepted", reason: undefined, detail: outcome.detail, hint: undefined, at: at.wallMs };
    case "refused":
      return { outcome: "refused", reason: outcome.reason, detail: outcome.detail, hint: outcome.hint, at: at.wallMs };
    case "timed-out":
      return {
        outcome: "timed-out",
        reason: undefined,
        detail: `no answer within ${Math.round(outcome.afterMs)} ms`,
        hint: undefined,
        at: at.wallMs,
      };
  }
}
