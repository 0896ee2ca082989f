import type { ReloadStrategy } from "../reload/reload-strategy.ts";
import type { RestartCandidate, RestartPermission } from "../reload/restart.ts";
import type { Clock } from "../system/clock.ts";

/** Keeps a server that takes its time to end from being told again: many end at once, and rudely, the second time. */
export interface RestartOnce {
  /** Asks in place of `permit`, and knows of a server that was told already. */
  permit(candidate: RestartCandidate): Promise<RestartPermission>;
  /** The strategy, watched so that what it told is known. */
  watch(strategy: ReloadStrategy): ReloadStrategy;
}

interface Told {
  readonly pid: number;
  /** When the process was started; a pid alone may be used again. */
  readonly startedMs: number;
  readonly toldMs: number;
}

/** Process ages are read with the kernel's ticks, and a moment before the clock is. */
const toleranceMs = 2_000;

/** @param forgetMs how long after it was told a server that has still not ended may be told again */
export function createRestartOnce(
  clock: Clock,
  forgetMs: number,
  permit: (candidate: RestartCandidate) => Promise<RestartPermission>,
): RestartOnce {
  let asked: RestartCandidate | undefined;
  let told: Told | undefined;

  return {
    async permit(candidate) {
      asked = candidate;
      const nowMs = clock.now().monotonicMs;
      const sinceMs = isSame(told, candidate, nowMs) ? nowMs - told.toldMs : forgetMs;
      if (sinceMs >= forgetMs) return permit(candidate);
      return {
        kind: "withheld",
        reason: "restart-in-progress",
        detail: `the server (pid ${candidate.pid}) was told to end ${Math.round(sinceMs / 1000)}s ago and has not ended yet`,
        hint: "--restart-grace waits longer for it, --restart-kill ends it by SIGKILL after the grace",
        retryAfterMs: forgetMs - sinceMs,
      };
    },
    watch: (strategy) => ({
      name: strategy.name,
      prepare: () => strategy.prepare(),
      async reload(signal) {
        const outcome = await strategy.reload(signal);
        const nowMs = clock.now().monotonicMs;
        if (outcome.kind === "timed-out" && asked !== undefined) {
          const startedMs = nowMs - outcome.afterMs - asked.ageMs;
          told = { pid: asked.pid, startedMs, toldMs: nowMs - outcome.afterMs };
        }
        return outcome;
      },
    }),
  };
}

function isSame(told: Told | undefined, { pid, ageMs }: RestartCandidate, nowMs: number): told is Told {
  return told?.pid === pid && Math.abs(nowMs - ageMs - told.startedMs) < toleranceMs;
}
