import type { Instant } from "../system/clock.ts";
import { type Policy, pace } from "./policy.ts";
import { forgetRounds, probeNow } from "./probing.ts";
import type { Rotation, RotationCause, RotationOutcome, TargetState, Wanted } from "./state.ts";
import { announce, change, emit, type Step } from "./step.ts";

const keptRotations = 20;

/** What a rotation starts with. */
export interface RotationStart {
  readonly wanted: Wanted;
  readonly cause: RotationCause;
  readonly isVisible: boolean;
  /** When the volume first showed the pair, or a probe the difference. */
  readonly seen: Instant;
}

/** Begins the way of the wanted pair to the wire, and tells the server unless a reload is running already. */
export function beginRotation(step: Step, start: RotationStart, at: Instant, policy: Policy): Step {
  const { wanted, cause, isVisible, seen } = start;
  const rotation: Rotation = {
    cause,
    isVisible,
    generation: wanted.source.generation,
    fingerprint: wanted.certificate.fingerprint,
    notAfter: wanted.certificate.notAfter,
    seenAt: seen.wallMs,
    seenMs: seen.monotonicMs,
    reloadSentAt: undefined,
    reloads: 0,
    firstServedAt: undefined,
    endedAt: undefined,
    outcome: undefined,
    durationMs: undefined,
  };
  const begun = change(endRotation(step, "superseded", at), {
    wanted: { ...wanted, isConfirmed: false },
    rotation,
    confirmations: 0,
    mismatches: 0,
    unservedSinceMs: step.state.unservedSinceMs ?? seen.monotonicMs,
  });
  const announced = announce(begun, { event: "rotation-begun", cause, certificate: wanted.certificate });
  return announced.state.work.kind === "reloading" ? announced : startReload(announced, 1, at, policy);
}

/** Tells the server, or, where it picks the pair up by itself, begins to look whether it did. */
export function startReload(step: Step, attempt: number, at: Instant, policy: Policy): Step {
  const { rotation, wanted } = step.state;
  if (rotation === undefined || wanted === undefined) return change(step, { work: { kind: "idle" } });
  if (!policy.hasReload) return startVerifying(step, 0, at, policy);
  const reloading = change(step, {
    work: { kind: "reloading", attempt, contentHash: wanted.source.contentHash },
    rotation: { ...rotation, reloadSentAt: rotation.reloadSentAt ?? at.wallMs, reloads: rotation.reloads + 1 },
  });
  return emit(reloading, { type: "reload", attempt });
}

/** The server was told: from now on only a handshake counts, or, where there is no endpoint, the reload's word. */
export function startVerifying(step: Step, attempt: number, at: Instant, policy: Policy): Step {
  if (policy.endpoints.length === 0) return confirmRotation(step, "unverified", at);
  const sinceMs = at.monotonicMs;
  const deadlineMs = policy.hasReload ? sinceMs + policy.verifyTimeoutMs : Number.POSITIVE_INFINITY;
  const verifying = change(step, { work: { kind: "verifying", attempt, sinceMs, deadlineMs } });
  return probeNow(forgetRounds(verifying), policy);
}

/** Waits before the next reload: longer each time, but never for more than a tenth of what the served pair has left. */
export function backOff(step: Step, attempt: number, because: string, at: Instant): Step {
  const doubledMs = pace.firstRetryMs * 2 ** Math.min(attempt - 1, 16);
  const urgentMs = Math.max(servedForMs(step.state, at) / 10, pace.firstRetryMs);
  const delayMs = Math.min(doubledMs, urgentMs, pace.slowestRetryMs);
  const waiting = change(step, {
    work: { kind: "backing-off", attempt, untilMs: at.monotonicMs + delayMs, because },
  });
  return announce(waiting, { event: "reload-scheduled", attempt: attempt + 1, delayMs, because });
}

/** The wanted pair is served, by proof or, without endpoints, by the reload's word. */
export function confirmRotation(step: Step, outcome: "confirmed" | "unverified", at: Instant): Step {
  const { wanted } = step.state;
  if (wanted === undefined) return step;
  const settled = change(endRotation(step, outcome, at), {
    wanted: { ...wanted, isConfirmed: true },
    work: { kind: "idle" },
    unservedSinceMs: undefined,
    isStaleAnnounced: false,
  });
  return wanted.isConfirmed ? settled : announce(settled, { event: "confirmed", certificate: wanted.certificate });
}

/** Ends the open rotation, if there is one, and keeps it for those who ask later. */
export function endRotation(step: Step, outcome: RotationOutcome, at: Instant): Step {
  const { rotation } = step.state;
  if (rotation === undefined) return step;
  return recordRotation(change(step, { rotation: undefined }), {
    ...rotation,
    outcome,
    endedAt: at.wallMs,
    durationMs: at.monotonicMs - rotation.seenMs,
  });
}

/** Keeps an ended rotation and tells of it. */
export function recordRotation(step: Step, rotation: Rotation): Step {
  const rotations = [rotation, ...step.state.rotations].slice(0, keptRotations);
  return announce(change(step, { rotations }), { event: "rotation-ended", rotation });
}

/** How long the certificate that is served and ends first is still valid, in milliseconds. */
function servedForMs(state: TargetState, at: Instant): number {
  const ends = state.endpoints.flatMap((endpoint) =>
    endpoint.kind === "served" ? [endpoint.certificate.notAfter - at.wallMs] : [],
  );
  return Math.min(Number.POSITIVE_INFINITY, ...ends);
}
