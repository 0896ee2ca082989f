import type { ReadinessState } from "../../src/status/readiness.ts";
import { code, table } from "./markdown.ts";

/** What a state means for traffic, and when it is reached. */
export interface ReadinessRow {
  readonly isReady: boolean;
  readonly when: string;
}

/** Every state, from good to bad. The types keep it complete, a unit test plays each row. */
export const readinessRows: Readonly<Record<ReadinessState, ReadinessRow>> = {
  "in-sync": { isReady: true, when: "every endpoint serves the certificate in the volume, confirmed by handshakes" },
  rotating: {
    isReady: true,
    when: "an endpoint serves another certificate than the volume holds, for less than `--stale-grace`",
  },
  refused: {
    isReady: true,
    when: "the volume holds nothing good to load (refused, held or gone), and every endpoint serves a valid certificate",
  },
  watching: { isReady: true, when: "`--watch-only`: every endpoint serves a certificate that has not ended" },
  waiting: { isReady: false, when: "no pair was read yet: the volume is absent, empty or unreadable" },
  starting: { isReady: false, when: "an endpoint was not probed yet, or the first confirmation is under way" },
  stale: {
    isReady: false,
    when: "an endpoint serves an older certificate of ours for longer than `--stale-grace`; ready under `--ready-policy serving`",
  },
  foreign: {
    isReady: false,
    when: "an endpoint serves a certificate that was never in the volume, for longer than `--stale-grace`",
  },
  expired: {
    isReady: false,
    when: "an endpoint serves a certificate that has ended; without endpoints, the one in the volume has",
  },
  unreachable: { isReady: false, when: "the last handshake with an endpoint showed no certificate" },
};

export function renderReadiness(): string {
  const rows = Object.entries(readinessRows).map(([state, { isReady, when }]) => [
    code(state),
    isReady ? "yes" : "**no**",
    when,
  ]);
  return table(["state", "ready?", "when"], rows);
}
