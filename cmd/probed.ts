import type { ProbeConfig } from "../src/config/config.ts";
import type { ProbeResult } from "../src/core/probe-result.ts";

/** How urgent what one endpoint serves is. */
export type Urgency = "good" | "warn" | "critical" | "expired" | "unreachable";

/** What one endpoint serves. */
export interface Probed {
  readonly endpoint: string;
  readonly result: ProbeResult;
  readonly urgency: Urgency;
  /** When the handshake was over, in milliseconds since the epoch. */
  readonly wallMs: number;
}

/** A result that shows a certificate. */
export type ServedResult = Extract<ProbeResult, { kind: "served" }>;

/** @param wallMs the time to measure what is left from, in milliseconds since the epoch */
export function judgeUrgency(
  result: ProbeResult,
  { warnMs, criticalMs }: Pick<ProbeConfig, "warnMs" | "criticalMs">,
  wallMs: number,
): Urgency {
  if (result.kind === "unreachable") return "unreachable";
  const leftMs = findEnd(result) - wallMs;
  if (leftMs <= 0) return "expired";
  if (leftMs <= criticalMs) return "critical";
  return leftMs <= warnMs ? "warn" : "good";
}

/** The end of what is served, in milliseconds since the epoch; what isn't served at all has ended already. */
export function findEnd(result: ProbeResult): number {
  return result.kind === "unreachable" ? 0 : result.certificate.notAfter;
}
