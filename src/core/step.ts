import type { Announcement } from "./announcement.ts";
import type { Effect } from "./effect.ts";
import type { TargetState } from "./state.ts";

/** A state on its way through a transition, with the effects gathered so far. */
export interface Step {
  readonly state: TargetState;
  readonly effects: readonly Effect[];
}

/** The step with this part of the state changed. */
export function change(step: Step, patch: Partial<TargetState>): Step {
  return { state: { ...step.state, ...patch }, effects: step.effects };
}

/** The step with one effect more, to be carried out after those before it. */
export function emit(step: Step, effect: Effect): Step {
  return { state: step.state, effects: [...step.effects, effect] };
}

/** The step with something more to tell people. */
export function announce(step: Step, announcement: Announcement): Step {
  return emit(step, { type: "announce", announcement });
}
