import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { Policy } from "../core/policy.ts";
import type { EndpointState, Rotation, TargetState, Try } from "../core/state.ts";
import { judgeEndpoint, renewalsAgo } from "../core/verdict.ts";
import type { Instant } from "../system/clock.ts";
import { formatTime } from "../system/time-text.ts";
import type { TargetView } from "./target-view.ts";

/** What `/status` answers: everything a person or a script may ask of the targets. Times are ISO 8601 in UTC. */
export interface StatusDocument {
  readonly isReady: boolean;
  /** What no handshake of ours shows, so that nobody takes it for verified. */
  readonly notVerified: readonly string[];
  readonly targets: readonly object[];
}

/** A server that reloads its certificate for TCP may keep the old one for QUIC (caddyserver/caddy#5517). */
const notVerified = ["UDP: what the same port serves over QUIC (HTTP/3) or DTLS"];

/** The document as of `at`; plain data, ready for JSON. */
export function renderStatus(views: readonly TargetView[], at: Instant): StatusDocument {
  return {
    isReady: views.every(({ readiness }) => readiness.isReady),
    notVerified,
    targets: views.map((view) => toTarget(view, at)),
  };
}

/** What `/readyz` answers: one line for each target. */
export function renderReadiness(views: readonly TargetView[]): string {
  return views.map(({ name, readiness }) => `${name}: ${readiness.state}: ${readiness.reason}\n`).join("");
}

function toTarget(view: TargetView, at: Instant): object {
  const { state, readiness } = view;
  return {
    name: view.name,
    readiness: { ready: readiness.isReady, state: readiness.state, reason: readiness.reason },
    volume: toVolume(view),
    wanted: state.wanted && { ...toCertificate(state.wanted.certificate, at), confirmed: state.wanted.isConfirmed },
    endpoints: state.endpoints.map((endpoint) => toEndpoint(endpoint, state, at)),
    work: toWork(state, view.policy, at),
    lastReload: state.lastReload && { ...state.lastReload, at: formatTime(state.lastReload.at) },
    preflight: view.preflight,
    rotation: state.rotation && toRotation(state.rotation),
    rotations: state.rotations.map(toRotation),
  };
}

function toVolume({ directory, watchMode, state, policy }: TargetView): object | undefined {
  if (policy.isWatchOnly) return undefined;
  const { volume } = state;
  if (volume.kind === "unread") return { directory, watchMode, state: volume.kind };
  const { kind, source, findings } = volume;
  return { directory, watchMode, state: kind, generation: source.generation, findings };
}

function toEndpoint(endpoint: EndpointState, state: TargetState, at: Instant): object {
  const verdict = judgeEndpoint(endpoint, state, at.wallMs);
  switch (endpoint.kind) {
    case "unprobed":
      return { endpoint: endpoint.endpoint };
    case "served":
      return {
        endpoint: endpoint.endpoint,
        verdict,
        ...(verdict === "stale" ? { renewalsAgo: renewalsAgo(endpoint.certificate, state) } : {}),
        protocol: endpoint.protocol,
        served: toCertificate(endpoint.certificate, at),
        ...(endpoint.alsoServed.length === 0
          ? {}
          : { alsoServed: endpoint.alsoServed.map((certificate) => toCertificate(certificate, at)) }),
        ...endpoint.report,
        probedAt: formatTime(endpoint.probedAt),
      };
    case "unreachable":
      return {
        endpoint: endpoint.endpoint,
        verdict,
        reason: endpoint.reason,
        detail: endpoint.detail,
        probedAt: formatTime(endpoint.probedAt),
      };
  }
}

function toWork({ work }: TargetState, policy: Policy, at: Instant): object {
  switch (work.kind) {
    case "idle":
      return { kind: work.kind };
    case "reloading":
    case "verifying":
      return { kind: work.kind, ...toTry(work.current, policy) };
    case "backing-off": {
      const { kind, next, because, untilMs } = work;
      const retryInMs = Math.max(0, Math.round(untilMs - at.monotonicMs));
      return { kind, ...toTry(next, policy), because, retryInMs };
    }
  }
}

function toTry({ rung, attempt }: Try, { ladder }: Policy): object {
  return { strategy: ladder[rung]?.strategy ?? "none", attempt };
}

function toCertificate(certificate: CertificateFacts, at: Instant): object {
  const { fingerprint, chainFingerprint, subject, issuer, serialNumber, names, keyType } = certificate;
  return {
    fingerprint,
    chainFingerprint,
    subject,
    issuer,
    serialNumber,
    names,
    keyType,
    notBefore: formatTime(certificate.notBefore),
    notAfter: formatTime(certificate.notAfter),
    daysLeft: Math.floor((certificate.notAfter - at.wallMs) / 86_400_000),
  };
}

function toRotation(rotation: Rotation): object {
  const toTime = (wallMs: number | undefined): string | undefined =>
    wallMs === undefined ? undefined : formatTime(wallMs);
  return {
    cause: rotation.cause,
    outcome: rotation.outcome,
    generation: rotation.generation,
    fingerprint: rotation.fingerprint,
    notAfter: toTime(rotation.notAfter),
    seenAt: toTime(rotation.seenAt),
    reloadSentAt: toTime(rotation.reloadSentAt),
    reloads: rotation.reloads,
    firstServedAt: toTime(rotation.firstServedAt),
    endedAt: toTime(rotation.endedAt),
    durationMs: rotation.durationMs === undefined ? undefined : Math.round(rotation.durationMs),
  };
}
