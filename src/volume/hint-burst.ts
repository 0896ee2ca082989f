import type { Cancel, Clock } from "../system/clock.ts";

/** Turns many events into few hints. */
export interface HintBurst {
  /** Something happened. */
  push(): void;
  /** No hint comes any more. */
  close(): void;
}

const firstPauseMs = 10;
const longestPauseMs = 160;

/**
 * The first event of a burst gives a hint at once, as it may be the only one. It is seldom the one that matters, so
 * another hint follows the last event; during a storm hints come at growing distances, so that one is never far away.
 * `quiet` is called once after each burst.
 */
export function createHintBurst(clock: Clock, hint: () => void, quiet: () => void): HintBurst {
  let cancel: Cancel | undefined;
  let pauseMs = firstPauseMs;
  let hasNews = false;

  const pause = (): void => {
    cancel = clock.after(pauseMs, () => {
      cancel = undefined;
      if (!hasNews) {
        pauseMs = firstPauseMs;
        quiet();
        return;
      }
      hasNews = false;
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      pause();
      hint();
    });
  };

  return {
    push() {
      if (cancel !== undefined) {
        hasNews = true;
        return;
      }
      pause();
      hint();
    },
    close() {
      cancel?.();
      cancel = undefined;
      hasNews = false;
    },
  };
}
