import { setTimeout as pause } from "node:timers/promises";
import type { Handshake } from "./pod-answers.ts";

/** What a client saw that connected again and again. */
export interface Gap {
  readonly handshakes: number;
  /** What the failed ones said. */
  readonly failures: readonly string[];
  /** How often good handshakes were followed by a failed one. */
  readonly gaps: number;
  /** From the start of the first failed handshake to the end of the next good one, the longest such time; 0 for none. */
  readonly longestMs: number;
}

/** One client at work. */
export interface GapWatch {
  stop(): Promise<Gap>;
}

/** Between two handshakes, so that the client leaves the server some of the machine. */
const pauseMs = 5;

/** Far more than what a rotation takes. */
const mostHandshakes = 20_000;

/** Connects again and again, one handshake after the other, until told to stop. */
export function watchGap(shakeHands: () => Promise<Handshake>): GapWatch {
  const failures: string[] = [];
  let handshakes = 0;
  let gaps = 0;
  let longestMs = 0;
  let isOver = false;
  let brokenSinceMs: number | undefined;
  const watch = async (): Promise<void> => {
    while (!isOver && handshakes < mostHandshakes) {
      const startMs = performance.now();
      const handshake = await shakeHands();
      handshakes += 1;
      if ("error" in handshake) {
        failures.push(handshake.error);
        if (brokenSinceMs === undefined) gaps += 1;
        brokenSinceMs ??= startMs;
      } else if (brokenSinceMs !== undefined) {
        longestMs = Math.max(longestMs, performance.now() - brokenSinceMs);
        brokenSinceMs = undefined;
      }
      await pause(pauseMs);
    }
  };
  const watching = watch();
  return {
    async stop() {
      isOver = true;
      await watching;
      return { handshakes, failures, gaps, longestMs };
    },
  };
}
