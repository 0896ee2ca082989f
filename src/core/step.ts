import type { Announcement } from "./announcement.ts";
import type { Effect } from "./effect.ts";
import type { TargetState } from "./state.ts";

/** A state on its way through a transition, with the effects gathered so far. */
export interface Step {
  readonly state: TargetState;
  readonly effects: readonly Effect[];
}

export function change(step: Step, patch: Partial<TargetState>): Step {
  return { state: { ...step.state, ...patch }, effects: step.effects };
}

export function emit(step: Step, effect: Effect): Step {
  return { state: step.state, effects: [...step.effects, effect] };
}

export function announce(step: Step, announcement: Announcement): Step {
  return emit(step, { type: "announce", announcement });
}
