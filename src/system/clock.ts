/** One moment on both clocks: dates are compared with the wall clock, waiting is measured on the monotonic one. */
export interface Instant {
  /** Milliseconds since an arbitrary start; never goes back. */
  readonly monotonicMs: number;
  /** Milliseconds since the epoch; jumps when the clock is set. */
  readonly wallMs: number;
}

/** Ends a pending call of {@link Clock.after}; harmless once it has fired. */
export type Cancel = () => void;

/** Time, handed in so that tests move it by hand. */
export interface Clock {
  now(): Instant;
  /** Calls `fire` once, `delayMs` from now. Any delay is right, however long. */
  after(delayMs: number, fire: () => void): Cancel;
}

/** The longest delay `setTimeout` takes; a longer one fires at once (Node documentation, "setTimeout"). */
const longestTimeoutMs = 2 ** 31 - 1;

/** The machine's clocks. Pending timers keep the process alive. */
export const systemClock: Clock = {
  now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }),
  after(delayMs, fire) {
    const dueMs = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const leftMs = dueMs - performance.now();
      timer =
        leftMs > longestTimeoutMs
          ? setTimeout(arm, longestTimeoutMs)
          : setTimeout(fire, Math.max(0, Math.ceil(leftMs)));
    };
    arm();
    return () => clearTimeout(timer);
  },
};
