import type { Instant } from "../system/clock.ts";
import type { Policy } from "./policy.ts";
import { probeNow } from "./probing.ts";
import { startReload } from "./rotating.ts";
import type { TargetState } from "./state.ts";
import { announce, change, emit, type Step } from "./step.ts";

/** Time has passed: do whatever is due. */
export function onWoken(step: Step, at: Instant, policy: Policy): Step {
  return tellStale(sendProbe(retryReload(askForLook(step, at), at, policy), at, policy), at, policy);
}

/** When the target wants to be woken next, on the monotonic clock; `undefined` if only an event can change it. */
export function nextWakeMs(state: TargetState, at: Instant, policy: Policy): number | undefined {
  if (state.isStopping) return undefined;
  const dues = [retryDueMs(state), probeDueMs(state), lookDueMs(state, at), staleDueMs(state, policy)];
  const next = Math.min(...dues.map((dueMs) => dueMs ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(next) ? next : undefined;
}

function retryDueMs({ work }: TargetState): number | undefined {
  return work.kind === "backing-off" ? work.untilMs : undefined;
}

function probeDueMs({ probe }: TargetState): number | undefined {
  return probe.isInFlight ? undefined : probe.dueMs;
}

function lookDueMs(state: TargetState, at: Instant): number | undefined {
  const wantedMs = state.isLookPending ? undefined : lookWantedMs(state, at);
  return wantedMs === undefined ? undefined : Math.max(wantedMs, state.lookNotBeforeMs ?? wantedMs);
}

function lookWantedMs({ volume, settling }: TargetState, at: Instant): number | undefined {
  if (settling !== undefined) return settling.dueMs;
  return volume.kind === "held" ? at.monotonicMs + Math.max(volume.untilMs - at.wallMs, 0) : undefined;
}

function staleDueMs(state: TargetState, policy: Policy): number | undefined {
  const { unservedSinceMs, isStaleAnnounced } = state;
  return unservedSinceMs === undefined || isStaleAnnounced ? undefined : unservedSinceMs + policy.staleGraceMs;
}

function isDue(dueMs: number | undefined, at: Instant): boolean {
  return dueMs !== undefined && dueMs <= at.monotonicMs;
}

function askForLook(step: Step, at: Instant): Step {
  if (!isDue(lookDueMs(step.state, at), at)) return step;
  return emit(change(step, { isLookPending: true }), { type: "look" });
}

function retryReload(step: Step, at: Instant, policy: Policy): Step {
  const { work } = step.state;
  return work.kind === "backing-off" && isDue(work.untilMs, at) ? startReload(step, work.next, at, policy) : step;
}

function sendProbe(step: Step, at: Instant, policy: Policy): Step {
  return isDue(probeDueMs(step.state), at) ? probeNow(step, policy) : step;
}

function tellStale(step: Step, at: Instant, policy: Policy): Step {
  const { unservedSinceMs, wanted } = step.state;
  if (!isDue(staleDueMs(step.state, policy), at) || unservedSinceMs === undefined || wanted === undefined) return step;
  return announce(change(step, { isStaleAnnounced: true }), {
    event: "turned-stale",
    certificate: wanted.certificate,
    unservedForMs: at.monotonicMs - unservedSinceMs,
  });
}
