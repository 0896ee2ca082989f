import type { Event } from "./event.ts";
import { onLooked } from "./on-looked.ts";
import { onProbed } from "./on-probed.ts";
import { onReloadSettled } from "./on-reload-settled.ts";
import { onWoken } from "./on-woken.ts";
import { type Policy, pace } from "./policy.ts";
import { probeNow } from "./probing.ts";
import type { TargetState } from "./state.ts";
import { change, type Step } from "./step.ts";

/**
 * What one event makes of a target: its next state, and what the agent must do, in this order.
 *
 * Pure and total: every event is allowed in every state, one that comes too late changes nothing. The agent must answer
 * each `look`, `probe` and `reload` with its event, always (a look that fails with `look-failed`), and wake the target
 * at `nextWakeMs`.
 *
 * What holds, whatever happens:
 * - at most one reload runs at a time;
 * - content that was refused, or that is still being written, leads to no reload;
 * - `isInSync` means that the last accepted pair was seen served as often as the policy asks;
 * - while something is owed, an effect is on its way or a time to wake is set.
 */
export function transition(state: TargetState, event: Event, policy: Policy): Step {
  const step: Step = { state, effects: [] };
  if (state.isStopping) return step;
  switch (event.type) {
    case "looked":
      return onLooked(step, event.look, event.at, policy);
    case "look-failed":
      return change(step, { isLookPending: false, lookNotBeforeMs: event.at.monotonicMs + pace.slowestProbeMs });
    case "probed":
      return onProbed(step, event.round, event.results, event.at, policy);
    case "reload-settled":
      return onReloadSettled(step, event.outcome, event.at, policy);
    case "woken":
      return onWoken(step, event.at, policy);
    case "stop-requested":
      return change(step, { isStopping: true });
  }
}

/**
 * A target before its first event, with the first effect: a look at the volume, on whose answer the probes follow, or
 * the probes at once where there is no volume.
 */
export function begin(policy: Policy): Step {
  const state: TargetState = {
    volume: { kind: "unread" },
    settling: undefined,
    isLookPending: !policy.isWatchOnly,
    lookNotBeforeMs: undefined,
    wanted: undefined,
    earlier: [],
    endpoints: policy.endpoints.map((endpoint) => ({ kind: "unprobed", endpoint })),
    work: { kind: "idle" },
    probe: { isInFlight: false, round: 0, countsFrom: 0, dueMs: undefined },
    confirmations: 0,
    mismatches: 0,
    unservedSinceMs: undefined,
    unreachableSinceMs: undefined,
    isStaleAnnounced: false,
    lastReload: undefined,
    reloadSentMs: undefined,
    recentContents: [],
    rotation: undefined,
    rotations: [],
    isStopping: false,
  };
  return policy.isWatchOnly ? probeNow({ state, effects: [] }, policy) : { state, effects: [{ type: "look" }] };
}
