import type { Clock } from "../../../src/system/clock.ts";

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /** Moves on, and calls what falls due on the way at its own moment. */
  advance(ms: number): void;
  /** How many calls are pending. */
  pending(): number;
}

export function createManualClock(): ManualClock {
  let nowMs = 0;
  const calls = new Set<{ readonly dueMs: number; readonly fire: () => void }>();
  return {
    now: () => ({ monotonicMs: nowMs, wallMs: nowMs }),
    after(delayMs, fire) {
      const call = { dueMs: nowMs + delayMs, fire };
      calls.add(call);
      return () => void calls.delete(call);
    },
    advance(ms) {
      const endMs = nowMs + ms;
      for (;;) {
        const [next] = [...calls].filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs);
        if (next === undefined) break;
        calls.delete(next);
        nowMs = next.dueMs;
        next.fire();
      }
      nowMs = endMs;
    },
    pending: () => calls.size,
  };
}
