import type { Instant } from "../system/clock.ts";
import { earliestReloadMs, spreadDelayMs, waitFor } from "./laddering.ts";
import { type Policy, pace } from "./policy.ts";
import { forgetRounds, probeNow } from "./probing.ts";
import type { Rotation, RotationCause, RotationOutcome, Settling, Try, Wanted } from "./state.ts";
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
  return announced.state.work.kind === "reloading" ? announced : startLadder(announced, at, policy);
}

/** Tells the server, or, where it picks the pair up by itself, begins to look whether it did. */
export function startReload(step: Step, next: Try, at: Instant, policy: Policy): Step {
  const { rotation, wanted } = step.state;
  if (rotation === undefined || wanted === undefined) return change(step, { work: { kind: "idle" } });
  if (policy.ladder.length === 0) return startVerifying(step, next, at, policy);
  if (step.state.settling !== undefined) return waitUntilSettled(step, next, step.state.settling, at);
  if (at.monotonicMs < earliestReloadMs(step.state, policy)) {
    return waitFor(step, next, 0, "reloads of a target keep their distance", at, policy);
  }
  const reloading = change(step, {
    work: { kind: "reloading", current: next, contentHash: wanted.source.contentHash },
    rotation: { ...rotation, reloadSentAt: rotation.reloadSentAt ?? at.wallMs, reloads: rotation.reloads + 1 },
    reloadSentMs: at.monotonicMs,
  });
  return emit(reloading, { type: "reload", rung: next.rung });
}

/** The volume is being written: a reload now could make the server read half of it, or what will be refused. */
function waitUntilSettled(step: Step, next: Try, { dueMs }: Settling, at: Instant): Step {
  const untilMs = Math.max(dueMs, at.monotonicMs + pace.settledCheckMs);
  return change(step, { work: { kind: "backing-off", next, untilMs, because: "the volume is being written" } });
}

/** The first try of a rotation: at once, unless the gentlest way is one that interrupts the server. */
export function startLadder(step: Step, at: Instant, policy: Policy): Step {
  const first: Try = { rung: 0, attempt: 1 };
  const delayMs = spreadDelayMs(step.state, first, at, policy);
  if (delayMs <= 0) return startReload(step, first, at, policy);
  return waitFor(step, first, delayMs, "replicas take turns", at, policy);
}

/** The server was told: from now on only a handshake counts, or, where there is no endpoint, the reload's word. */
export function startVerifying(step: Step, current: Try, at: Instant, policy: Policy): Step {
  if (policy.endpoints.length === 0) return confirmRotation(step, "unverified", at);
  const sinceMs = at.monotonicMs;
  const deadlineMs = policy.ladder.length > 0 ? sinceMs + policy.verifyTimeoutMs : Number.POSITIVE_INFINITY;
  const verifying = change(step, { work: { kind: "verifying", current, sinceMs, deadlineMs } });
  return probeNow(forgetRounds(verifying), policy);
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
