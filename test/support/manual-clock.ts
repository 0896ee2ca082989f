import type { Clock } from "../../src/system/clock.ts";

/** A clock that stands still until it is moved by hand. */
export interface ManualClock extends Clock {
  /** Lets this time pass, and fires what is due by then, in the order in which it falls due. */
  pass(ms: number): void;
  /** How many timers are pending. */
  pending(): number;
}

interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** @param wallMs what the wall clock shows at first; the monotonic one begins at 0 */
export function createManualClock(wallMs: number): ManualClock {
  const timers = new Set<Timer>();
  let monotonicMs = 0;
  const nextDue = (untilMs: number): Timer | undefined =>
    [...timers].filter(({ dueMs }) => dueMs <= untilMs).toSorted((left, right) => left.dueMs - right.dueMs)[0];
  return {
    now: () => ({ monotonicMs, wallMs: wallMs + monotonicMs }),
    after(delayMs, fire) {
      const timer = { dueMs: monotonicMs + Math.max(0, delayMs), fire };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass(ms) {
      const untilMs = monotonicMs + ms;
      for (let timer = nextDue(untilMs); timer !== undefined; timer = nextDue(untilMs)) {
        timers.delete(timer);
        monotonicMs = Math.max(monotonicMs, timer.dueMs);
        timer.fire();
      }
      monotonicMs = untilMs;
    },
    pending: () => timers.size,
  };
}
