import type { Finding } from "../core/finding.ts";
import type { Clock } from "../system/clock.ts";
import type { Log } from "../system/log.ts";

/** Looks for what would stop the next rotation, before it comes; touches nothing. */
export interface Preflight {
  findings(): readonly Finding[];
  /** Looks again; what was found or has gone is logged once. However often it is called, one look runs and one waits. */
  refresh(): void;
  /** Looks again unless that was done within this time. */
  refreshAfter(ageMs: number): void;
}

/** @param check finds what stands in the way now; a rejection is a fault and is logged */
export function createPreflight(check: () => Promise<readonly Finding[]>, clock: Clock, log: Log): Preflight {
  let findings: readonly Finding[] = [];
  let isRunning = false;
  let isWaiting = false;
  let lookedMs = Number.NEGATIVE_INFINITY;

  const look = async (): Promise<void> => {
    const found = await check();
    // The words may change with whatever else runs beside the server: only a code that is new is news.
    const known = new Set(findings.map(({ code }) => code));
    const left = new Set(found.map(({ code }) => code));
    for (const finding of found) {
      if (!known.has(finding.code)) log.warn({ event: "preflight-finding", ...finding }, "next rotation is at risk");
    }
    for (const code of known) {
      if (!left.has(code)) log.info({ event: "preflight-cleared", code }, "a risk for the next rotation is gone");
    }
    findings = found;
  };

  const refresh = async (): Promise<void> => {
    isWaiting = true;
    if (isRunning) return;
    isRunning = true;
    while (isWaiting) {
      isWaiting = false;
      lookedMs = clock.now().monotonicMs;
      try {
        await look();
      } catch (error) {
        log.error({ event: "fault", during: "preflight", error: String(error) }, "fault");
      }
    }
    isRunning = false;
  };

  return {
    findings: () => findings,
    refresh: () => void refresh(),
    refreshAfter(ageMs) {
      if (clock.now().monotonicMs - lookedMs >= ageMs) void refresh();
    },
  };
}
