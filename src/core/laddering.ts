import type { Instant } from "../system/clock.ts";
import { type Policy, pace } from "./policy.ts";
import type { RefusalReason, ReloadOutcome } from "./reload-outcome.ts";
import type { TargetState, Try } from "./state.ts";
import { announce, change, type Step } from "./step.ts";
import { isWantedServedBy, servedAnywhere } from "./verdict.ts";

/** Why a reload that was sent, or should have been, did not bring the wanted pair. */
export type Failure = Exclude<ReloadOutcome, { kind: "accepted" }> | { readonly kind: "unserved" };

/** Trying these again changes nothing: the process itself would have to be another one. */
const hopeless: ReadonlySet<RefusalReason> = new Set([
  "signal-not-handled",
  "signal-ignored",
  "wrapper-only",
  "command-not-started",
]);
const turnedDown: ReadonlySet<RefusalReason> = new Set([
  "not-permitted",
  "client-error",
  "credentials-unusable",
  "redirected",
  "certificate-not-trusted",
  "configuration-test-failed",
]);
const absent: ReadonlySet<RefusalReason> = new Set(["no-process", "connection-refused", "process-changed"]);

/** Waits before the next try: on the same rung, or on the next one if this one has been tried often enough. */
export function backOff(step: Step, failed: Try, failure: Failure, at: Instant, policy: Policy): Step {
  const next = nextTry(step.state, failed, failure, policy);
  const delayMs =
    next.rung === failed.rung
      ? retryDelayMs(step.state, failed, failure, at, policy)
      : spreadDelayMs(step.state, next, at, policy);
  return waitFor(step, next, delayMs, describe(failure), at, policy);
}

/** Does nothing for a while, then makes the next try. */
export function waitFor(step: Step, next: Try, delayMs: number, because: string, at: Instant, policy: Policy): Step {
  const strategy = policy.ladder[next.rung]?.strategy ?? "none";
  const untilMs = Math.max(at.monotonicMs + delayMs, earliestReloadMs(step.state, policy));
  const waiting = change(step, { work: { kind: "backing-off", next, untilMs, because } });
  const waitMs = untilMs - at.monotonicMs;
  return announce(waiting, { event: "reload-scheduled", strategy, attempt: next.attempt, delayMs: waitMs, because });
}

/** When the next reload may be sent, monotonic: reloads of a target keep their distance. */
export function earliestReloadMs({ reloadSentMs }: TargetState, { minIntervalMs }: Policy): number {
  return reloadSentMs === undefined ? Number.NEGATIVE_INFINITY : reloadSentMs + minIntervalMs;
}

/**
 * How long a rung that interrupts the server waits before its first try, so that replicas don't do it all at once:
 * this replica's share of the spread, but never more than a third of what the served certificate has left.
 */
export function spreadDelayMs(state: TargetState, next: Try, at: Instant, policy: Policy): number {
  const spreadMs = policy.ladder[next.rung]?.spreadMs ?? 0;
  return Math.min(spreadMs * policy.spreadShare, Math.max(servedForMs(state, at), 0) / 3);
}

/** Only a pair that is known not to be served is a reason for a rougher way. */
function nextTry(state: TargetState, failed: Try, failure: Failure, policy: Policy): Try {
  const isLastRung = failed.rung + 1 >= policy.ladder.length;
  const isHopeless = failure.kind === "refused" && hopeless.has(failure.reason);
  const isTriedEnough = isHopeless || failed.attempt >= (policy.ladder[failed.rung]?.attempts ?? 1);
  // What was put off, by a restart that would come too soon, was no try.
  if (failure.kind === "refused" && failure.retryAfterMs !== undefined) return failed;
  if (!isLastRung && isTriedEnough && isSeenUnserved(state, policy)) return { rung: failed.rung + 1, attempt: 1 };
  return { rung: failed.rung, attempt: failed.attempt + 1 };
}

function isSeenUnserved({ endpoints, wanted }: TargetState, policy: Policy): boolean {
  if (policy.endpoints.length === 0) return true;
  return endpoints.some(
    (endpoint) => endpoint.kind === "served" && wanted !== undefined && !isWantedServedBy(endpoint, wanted),
  );
}

/** Longer each time, but never more than a tenth of what the served certificate has left; replicas drift apart. */
function retryDelayMs(state: TargetState, failed: Try, failure: Failure, at: Instant, policy: Policy): number {
  const doubledMs = pace.firstRetryMs * 2 ** Math.min(failed.attempt - 1, 16) * (1 + policy.spreadShare / 4);
  const leftMs = servedForMs(state, at);
  // Once the served certificate has ended, the damage is done: no need to wear the server out.
  const urgentMs = leftMs > 0 ? Math.max(leftMs / 10, pace.firstRetryMs) : pace.endedRetryMs;
  const delayMs = Math.min(doubledMs, urgentMs, pace.slowestRetryMs);
  if (failure.kind !== "refused") return Math.max(delayMs, interruptionDelayMs(failed, policy));
  if (failure.retryAfterMs !== undefined) return Math.max(failure.retryAfterMs, pace.firstRetryMs);
  if (turnedDown.has(failure.reason)) return Math.max(delayMs, Math.min(pace.turnedDownRetryMs, urgentMs));
  return absent.has(failure.reason) ? Math.min(delayMs, pace.absentRetryMs) : delayMs;
}

/** A server that was interrupted for nothing is left alone for longer each time, however urgent it is. */
function interruptionDelayMs(failed: Try, policy: Policy): number {
  const leastMs = policy.ladder[failed.rung]?.leastRetryMs ?? 0;
  return Math.min(leastMs * 2 ** Math.min(failed.attempt - 1, 16), Math.max(leastMs, pace.slowestInterruptionMs));
}

/** How long the certificate that is served and ends first is still valid, in milliseconds. */
function servedForMs(state: TargetState, at: Instant): number {
  return Math.min(Number.POSITIVE_INFINITY, ...servedAnywhere(state).map(({ notAfter }) => notAfter - at.wallMs));
}

function describe(failure: Failure): string {
  switch (failure.kind) {
    case "refused":
      return failure.detail;
    case "timed-out":
      return "the reload ran out of time";
    case "unserved":
      return "the server was told, but still serves another certificate";
  }
}
