import type { Instant } from "../system/clock.ts";
import { type Policy, pace } from "./policy.ts";
import type { TargetState } from "./state.ts";
import { change, emit, type Step } from "./step.ts";

/** Nothing is owed: the pair in the volume was confirmed, and the last round of probes showed it still. */
export function isInSync(state: TargetState, policy: Policy): boolean {
  return (
    state.volume.kind === "accepted" &&
    state.wanted?.isConfirmed === true &&
    state.rotation === undefined &&
    (policy.endpoints.length === 0 || state.confirmations >= policy.confirm)
  );
}

/** Sends a round of probes unless one is on its way. */
export function probeNow(step: Step, policy: Policy): Step {
  const { probe } = step.state;
  if (policy.endpoints.length === 0 || probe.isInFlight) return step;
  const round = probe.round + 1;
  const sent = change(step, { probe: { ...probe, round, isInFlight: true, dueMs: undefined } });
  return emit(sent, { type: "probe", round });
}

/** From here on only rounds that are sent later prove anything: a reload changed what may be served. */
export function forgetRounds(step: Step): Step {
  const { probe } = step.state;
  return change(step, { probe: { ...probe, countsFrom: probe.round + 1 }, confirmations: 0, mismatches: 0 });
}

/** Sets when to probe next, after a round has come back. */
export function scheduleProbe(step: Step, at: Instant, policy: Policy): Step {
  const dueMs = at.monotonicMs + probeDelayMs(step.state, at, policy);
  return change(step, { probe: { ...step.state.probe, dueMs } });
}

function probeDelayMs(state: TargetState, at: Instant, policy: Policy): number {
  const { confirmations, mismatches, work } = state;
  if (confirmations > 0 && confirmations < policy.confirm) return pace.confirmMs;
  if (work.kind === "idle" && mismatches > 0 && mismatches < policy.confirm) return pace.confirmMs;
  const troubleSinceMs = work.kind === "verifying" ? work.sinceMs : (state.unreachableSinceMs ?? state.unservedSinceMs);
  if (troubleSinceMs === undefined) return policy.verifyIntervalMs;
  const slowestMs = Math.min(pace.slowestProbeMs, policy.verifyIntervalMs);
  return Math.min(Math.max((at.monotonicMs - troubleSinceMs) / 4, pace.firstProbeMs), slowestMs);
}
