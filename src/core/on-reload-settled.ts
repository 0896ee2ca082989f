import type { Instant } from "../system/clock.ts";
import { backOff } from "./laddering.ts";
import type { Policy } from "./policy.ts";
import { probeNow } from "./probing.ts";
import type { ReloadOutcome } from "./reload-outcome.ts";
import { startLadder, startVerifying } from "./rotating.ts";
import type { LastReload } from "./state.ts";
import { announce, change, emit, type Step } from "./step.ts";

/** The reload ended: look whether it worked, tell again for newer content, or wait before the next try. */
export function onReloadSettled(step: Step, outcome: ReloadOutcome, at: Instant, policy: Policy): Step {
  const { work, rotation, wanted } = step.state;
  if (work.kind !== "reloading") return step;
  const { current } = work;
  const strategy = policy.ladder[current.rung]?.strategy ?? "none";
  const settled = announce(change(step, { lastReload: toLastReload(strategy, outcome, at) }), {
    event: "reload-settled",
    strategy,
    attempt: current.attempt,
    outcome,
  });
  if (outcome.kind === "accepted" && outcome.exitStatus !== undefined) {
    return emit(settled, { type: "exit", status: outcome.exitStatus });
  }
  if (rotation === undefined) return probeNow(change(settled, { work: { kind: "idle" } }), policy);
  if (wanted?.source.contentHash !== work.contentHash) return startLadder(settled, at, policy);
  // Without an endpoint the reload's word is all there is, and a reload that ran out of time gave none.
  const isUnknown = outcome.kind === "timed-out" && policy.endpoints.length === 0;
  if (outcome.kind === "refused" || isUnknown) {
    return probeNow(backOff(settled, current, outcome, at, policy), policy);
  }
  return startVerifying(settled, current, at, policy);
}

function toLastReload(strategy: string, outcome: ReloadOutcome, at: Instant): LastReload {
  const settled = { strategy, outcome: outcome.kind, at: at.wallMs };
  switch (outcome.kind) {
    case "accepted":
      return { ...settled, reason: undefined, detail: outcome.detail, hint: undefined };
    case "refused":
      return { ...settled, reason: outcome.reason, detail: outcome.detail, hint: outcome.hint };
    case "timed-out": {
      const detail = `no answer within ${Math.round(outcome.afterMs)} ms`;
      return { ...settled, reason: undefined, detail, hint: undefined };
    }
  }
}
