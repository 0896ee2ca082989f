import type { Finding } from "../core/finding.ts";
import type { Log } from "../system/log.ts";

/** Looks for what would stop the next rotation, before it comes; touches nothing. */
export interface Preflight {
  findings(): readonly Finding[];
  /** Looks again; what was found or has gone is logged once. Calls that come while one runs are served by it. */
  refresh(): void;
}

/** @param check finds what stands in the way now; a rejection is a fault and is logged */
export function createPreflight(check: () => Promise<readonly Finding[]>, log: Log): Preflight {
  let findings: readonly Finding[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    const found = await check();
    for (const finding of found) {
      if (!findings.some(isSame(finding)))
        log.warn({ event: "preflight-finding", ...finding }, "next rotation is at risk");
    }
    for (const finding of findings) {
      if (!found.some(isSame(finding))) {
        log.info({ event: "preflight-cleared", code: finding.code }, "a risk for the next rotation is gone");
      }
    }
    findings = found;
  };

  return {
    findings: () => findings,
    refresh() {
      if (isRunning) return;
      isRunning = true;
      run()
        .catch((error: unknown) => log.error({ event: "fault", during: "preflight", error: String(error) }, "fault"))
        .finally(() => {
          isRunning = false;
        });
    },
  };
}

function isSame({ code, message }: Finding): (other: Finding) => boolean {
  return (other) => other.code === code && other.message === message;
}
