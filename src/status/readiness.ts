import type { Finding } from "../core/finding.ts";
import type { Policy } from "../core/policy.ts";
import { isInSync } from "../core/probing.ts";
import type { EndpointState, TargetState } from "../core/state.ts";
import { findWorst, judgeEndpoint, servedAnywhere } from "../core/verdict.ts";
import type { Instant } from "../system/clock.ts";
import { escapeForeign } from "../system/escape.ts";
import { formatDuration, formatTime } from "../system/time-text.ts";

/** The word for what a target is in; `refused` stands for every volume that holds nothing good to load any more. */
export type ReadinessState = (typeof readinessStates)[number];

/** Every state, in the order of the table. */
export const readinessStates = [
  "waiting",
  "starting",
  "in-sync",
  "rotating",
  "stale",
  "refused",
  "expired",
  "foreign",
  "unreachable",
  "watching",
] as const;

/** Of a distinguished name in a reason, in UTF-16 units. */
const longestName = 200;

/** Whether a target may get traffic, and why. */
export interface Readiness {
  readonly isReady: boolean;
  readonly state: ReadinessState;
  /** One sentence, lower case, no full stop. */
  readonly reason: string;
}

/** What may still count as ready although the newest pair isn't served: nothing, or whatever is valid. */
export type ReadyPolicy = "served" | "serving";

/**
 * Works out the readiness of a target, completely. The table is in README.md, "Readiness".
 *
 * @param obstacles what is known to keep a server from what the volume holds, such as a subPath mount: told first
 */
export function judgeReadiness(
  state: TargetState,
  policy: Policy,
  ready: ReadyPolicy,
  at: Instant,
  obstacles: readonly Finding[] = [],
): Readiness {
  if (policy.isWatchOnly) return judgeEndpoints(state, policy, at) ?? yes("watching", describeWatched(state, at));
  if (state.wanted === undefined && (!isJudged(state.volume) || policy.endpoints.length === 0)) {
    return no("waiting", describeWaiting(state));
  }
  return judgeServing(state, policy, ready, at, obstacles);
}

function judgeServing(
  state: TargetState,
  policy: Policy,
  ready: ReadyPolicy,
  at: Instant,
  obstacles: readonly Finding[],
): Readiness {
  const unserved = judgeEndpoints(state, policy, at);
  if (unserved !== undefined) return unserved;
  if (state.volume.kind !== "accepted") return yes("refused", describeRefused(state));
  if (isInSync(state, policy)) return yes("in-sync", describeInSync(state, policy, at));
  if (state.unservedSinceMs === undefined) return no("starting", "the served certificate isn't confirmed yet");
  const unservedMs = at.monotonicMs - state.unservedSinceMs;
  const reason = [...obstacles.map(({ message }) => message), describeUnserved(state, at)].join("; ");
  if (unservedMs < policy.staleGraceMs) return yes("rotating", reason);
  return { isReady: ready === "serving", state: "stale", reason };
}

/** What the endpoints alone forbid, the worst first; `undefined` if each serves something valid that may be ours. */
function judgeEndpoints(state: TargetState, policy: Policy, at: Instant): Readiness | undefined {
  if (state.endpoints.length === 0) return judgeUnverifiable(state, at);
  const judged = state.endpoints.map((endpoint) => ({ endpoint, verdict: judgeEndpoint(endpoint, state, at.wallMs) }));
  const find = (verdict: string | undefined): EndpointState | undefined =>
    judged.find((entry) => entry.verdict === verdict)?.endpoint;
  const expired = find("expired");
  if (expired?.kind === "served") {
    const { notAfter } = findWorst(expired, state, at.wallMs).certificate;
    return no("expired", `${expired.endpoint} serves a certificate that ended ${formatTime(notAfter)}`);
  }
  const unreachable = find("unreachable");
  if (unreachable?.kind === "unreachable") return no("unreachable", `${unreachable.endpoint}: ${unreachable.detail}`);
  const unprobed = find(undefined);
  if (unprobed !== undefined) return no("starting", `${unprobed.endpoint} was not probed yet`);
  const foreign = state.volume.kind === "accepted" ? find("foreign") : undefined;
  if (foreign?.kind !== "served" || state.unservedSinceMs === undefined) return undefined;
  if (at.monotonicMs - state.unservedSinceMs < policy.staleGraceMs) return undefined;
  const { certificate } = findWorst(foreign, state, at.wallMs);
  const subject = escapeForeign(certificate.subject, longestName);
  const issuer = escapeForeign(certificate.issuer, longestName);
  return no(
    "foreign",
    `${foreign.endpoint} serves a certificate that was never in the volume: ${subject}, issued by ${issuer}`,
  );
}

function judgeUnverifiable({ wanted }: TargetState, at: Instant): Readiness | undefined {
  if (wanted === undefined || wanted.certificate.notAfter > at.wallMs) return undefined;
  return no("expired", `the certificate in the volume ended ${formatTime(wanted.certificate.notAfter)}`);
}

function describeWatched(state: TargetState, at: Instant): string {
  const left = formatDuration(Math.min(...servedAnywhere(state).map(({ notAfter }) => notAfter)) - at.wallMs);
  return `what is served is valid, ${left} left; there is no volume to compare it with`;
}

/** Whether a valid one is served beside a pair that was turned down is for the endpoints to say, if there are any. */
function isJudged({ kind }: TargetState["volume"]): boolean {
  return kind === "refused" || kind === "held";
}

function describeWaiting({ volume }: TargetState): string {
  if (volume.kind === "unread" || volume.kind === "accepted") return "the volume wasn't read yet";
  return `no valid keypair yet: ${messagesOf(volume.findings)}`;
}

function describeRefused({ volume }: TargetState): string {
  switch (volume.kind) {
    case "refused":
      return `the keypair in the volume was refused, the served one stays: ${messagesOf(volume.findings)}`;
    case "held":
      return `the keypair in the volume is held until ${formatTime(volume.untilMs)}, the served one stays`;
    case "missing":
      return `the volume can't be read, the served certificate stays: ${messagesOf(volume.findings)}`;
    case "accepted":
    case "unread":
      return "the volume holds nothing that was refused";
  }
}

function describeInSync({ wanted }: TargetState, policy: Policy, at: Instant): string {
  if (wanted === undefined) return "nothing is wanted";
  const left = formatDuration(wanted.certificate.notAfter - at.wallMs);
  const what = policy.endpoints.length === 0 ? "not verified, as no endpoint is probed" : "served";
  return `the certificate in the volume is ${what}, ${left} left`;
}

function describeUnserved(state: TargetState, at: Instant): string {
  const named = (verdict: string): string =>
    state.endpoints
      .filter((endpoint) => judgeEndpoint(endpoint, state, at.wallMs) === verdict)
      .map(({ endpoint }) => endpoint)
      .join(", ");
  const sinceMs = at.monotonicMs - (state.unservedSinceMs ?? at.monotonicMs);
  const [foreign, stale] = [named("foreign"), named("stale")];
  let what = "the new certificate isn't confirmed yet";
  if (stale !== "") what = `${stale} serves an older certificate than the volume holds`;
  else if (foreign !== "") what = `${foreign} serves a certificate that was never in the volume`;
  return `${what}, for ${formatDuration(sinceMs)}${describeReload(state)}`;
}

function describeReload({ lastReload, rotation }: TargetState): string {
  if (rotation === undefined || lastReload === undefined || rotation.reloads === 0) return "";
  if (lastReload.outcome === "accepted") return `; ${lastReload.detail}`;
  return `; reload ${lastReload.outcome}: ${lastReload.detail}${lastReload.hint === undefined ? "" : ` (${lastReload.hint})`}`;
}

function messagesOf(findings: readonly { readonly message: string; readonly severity: string }[]): string {
  const refusing = findings.filter(({ severity }) => severity !== "warn");
  return (refusing.length > 0 ? refusing : findings).map(({ message }) => message).join("; ");
}

function yes(state: ReadinessState, reason: string): Readiness {
  return { isReady: true, state, reason };
}

function no(state: ReadinessState, reason: string): Readiness {
  return { isReady: false, state, reason };
}
