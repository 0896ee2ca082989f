import type { Instant } from "../system/clock.ts";
import type { CertificateFacts } from "./certificate-facts.ts";
import type { Policy } from "./policy.ts";
import { probeNow } from "./probing.ts";
import { beginRotation, endRotation, recordRotation } from "./rotating.ts";
import type { TargetState, Wanted } from "./state.ts";
import { announce, change, type Step } from "./step.ts";
import type { VolumeLook } from "./volume-look.ts";

const keptEarlier = 20;

type AcceptedLook = Extract<VolumeLook, { kind: "accepted" }>;

/** The volume was read: take the content up, or wait until it rests. The first answer lets the probes begin. */
export function onLooked(step: Step, look: VolumeLook, at: Instant, policy: Policy): Step {
  const looked = takeUpOrWait(change(step, { isLookPending: false, lookNotBeforeMs: undefined }), look, at, policy);
  return looked.state.probe.round === 0 ? probeNow(looked, policy) : looked;
}

function takeUpOrWait(step: Step, look: VolumeLook, at: Instant, policy: Policy): Step {
  const { state } = step;
  if (isSameLook(state, look)) return change(step, { settling: undefined, volume: look });
  const { contentHash } = look.source;
  const isSameContent = state.settling?.contentHash === contentHash;
  const restsSinceMs = isSameContent ? state.settling.sinceMs : at.monotonicMs;
  const unsettledSince = state.settling?.unsettledSince ?? at;
  const restedMs = at.monotonicMs - restsSinceMs;
  const waitMs = restMs(state, look, policy, restedMs, at.monotonicMs - unsettledSince.monotonicMs);
  if (waitMs <= 0) return takeUp(change(step, { settling: undefined }), look, unsettledSince, at, policy);
  const dueMs = at.monotonicMs + waitMs;
  return change(step, { settling: { contentHash, sinceMs: restsSinceMs, unsettledSince, dueMs } });
}

/** How long a look must still be left alone, in milliseconds; 0 if it can be taken up. */
function restMs(state: TargetState, look: VolumeLook, policy: Policy, restedMs: number, unsettledMs: number): number {
  const isFirst = state.volume.kind === "unread";
  if (look.kind === "missing") return isFirst ? 0 : recheckMs(policy, policy.writeGraceMs - unsettledMs);
  if (look.source.isAtomic) return 0;
  if (look.kind === "refused") return recheckMs(policy, policy.writeGraceMs - unsettledMs);
  return isFirst ? 0 : Math.min(policy.settleMs - restedMs, policy.writeGraceMs - unsettledMs);
}

/** A state that may be half written is looked at again and again until it is whole or the grace has passed. */
function recheckMs(policy: Policy, graceLeftMs: number): number {
  return Math.min(graceLeftMs, Math.max(policy.settleMs, 100));
}

function isSameLook({ volume }: TargetState, look: VolumeLook): boolean {
  if (volume.kind !== look.kind || volume.source.contentHash !== look.source.contentHash) return false;
  if (look.kind === "accepted") return true;
  return look.findings.map(({ code }) => code).join() === volume.findings.map(({ code }) => code).join();
}

function takeUp(step: Step, look: VolumeLook, seen: Instant, at: Instant, policy: Policy): Step {
  switch (look.kind) {
    case "accepted":
      return takeUpAccepted(step, look, seen, at, policy);
    case "held":
      return announce(pause(step, look, at), { event: "keypair-held", ...withoutKind(look) });
    case "refused": {
      const paused = announce(pause(step, look, at), { event: "keypair-refused", ...withoutKind(look) });
      return recordRotation(paused, {
        cause: "renewal",
        isVisible: true,
        generation: look.source.generation,
        fingerprint: look.certificate?.fingerprint,
        notAfter: look.certificate?.notAfter,
        seenAt: seen.wallMs,
        seenMs: seen.monotonicMs,
        reloadSentAt: undefined,
        reloads: 0,
        firstServedAt: undefined,
        endedAt: at.wallMs,
        outcome: "refused",
        durationMs: at.monotonicMs - seen.monotonicMs,
      });
    }
    case "missing":
      return announce(pause(step, look, at), { event: "volume-missing", findings: look.findings });
  }
}

function withoutKind<Look extends VolumeLook>({ kind: _, ...rest }: Look): Omit<Look, "kind"> {
  return rest;
}

/**
 * There is nothing good to load, so nothing is owed: a reload now would make the server read what was just refused.
 * A running one can't be called back; its end finds no rotation and does nothing more.
 */
function pause(step: Step, look: VolumeLook, at: Instant): Step {
  const { work } = step.state;
  return change(endRotation(step, "superseded", at), {
    volume: look,
    work: work.kind === "reloading" ? work : { kind: "idle" },
    unservedSinceMs: undefined,
    isStaleAnnounced: false,
    mismatches: 0,
  });
}

function takeUpAccepted(step: Step, look: AcceptedLook, seen: Instant, at: Instant, policy: Policy): Step {
  const { volume, wanted } = step.state;
  const isReturning = wanted?.source.contentHash === look.source.contentHash;
  const { source, certificate } = look;
  const next: Wanted = { source, certificate, isConfirmed: isReturning && wanted.isConfirmed };
  const isReplaced = wanted !== undefined && wanted.certificate.chainFingerprint !== certificate.chainFingerprint;
  const accepted = acceptPair(step, look, next, isReplaced ? wanted.certificate : undefined);
  if (policy.endpoints.length === 0) {
    if (volume.kind === "unread") return change(accepted, { wanted: { ...next, isConfirmed: true } });
    if (next.isConfirmed) return accepted;
  } else if (wanted === undefined || isReturning) {
    // At the start, and when refused content gave way to a pair that is known, only a handshake tells what is owed.
    return probeNow(change(accepted, { confirmations: 0, mismatches: 0 }), policy);
  }
  const isVisible = wanted === undefined || isReplaced || !wanted.isConfirmed;
  return beginRotation(accepted, { wanted: next, cause: "renewal", isVisible, seen }, at, policy);
}

function acceptPair(step: Step, look: AcceptedLook, wanted: Wanted, replaced: CertificateFacts | undefined): Step {
  const { earlier, recentContents: before } = step.state;
  const { source, certificate, findings } = look;
  const recentContents = before[0] === source.contentHash ? before : [source.contentHash, ...before].slice(0, 4);
  const accepted = announce(
    change(step, {
      volume: look,
      wanted,
      earlier: replaced === undefined ? earlier : [replaced, ...earlier].slice(0, keptEarlier),
      recentContents,
    }),
    { event: "keypair-accepted", source, certificate, findings },
  );
  const isNews = isFlipFlop(recentContents) && !isFlipFlop(before);
  return isNews ? announce(accepted, { event: "flip-flop", certificate }) : accepted;
}

/** Two contents that take turns: two writers who each think that the volume is theirs. */
function isFlipFlop([newest, second, third, fourth]: readonly string[]): boolean {
  return newest !== undefined && newest !== second && newest === third && second === fourth;
}
