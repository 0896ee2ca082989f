import type { CertificateFacts } from "./certificate-facts.ts";
import type { EndpointState, TargetState, Verdict, Wanted } from "./state.ts";

/**
 * Is this exactly what the volume holds?
 *
 * The leaf must be the same, and every certificate of the file must be presented in its place. A server may present
 * more: OpenSSL completes a chain from the server's own trust store (SSL_CTX_set_mode(3), SSL_MODE_NO_AUTO_CHAIN).
 * The root doesn't count on either side.
 */
export function isServedAs(wanted: CertificateFacts, served: CertificateFacts): boolean {
  return (
    wanted.fingerprint === served.fingerprint &&
    wanted.chain.every((fingerprint, position) => served.chain[position] === fingerprint)
  );
}

/** Judges one served certificate against the wanted one and those that were ours before. */
export function judgeServed(
  served: CertificateFacts,
  wanted: CertificateFacts | undefined,
  earlier: readonly CertificateFacts[],
  wallMs: number,
): Exclude<Verdict, "unreachable"> {
  if (served.notAfter <= wallMs) return "expired";
  if (wanted !== undefined && isServedAs(wanted, served)) return "match";
  const ours = wanted === undefined ? earlier : [wanted, ...earlier];
  if (ours.length === 0) return "valid";
  return ours.some((certificate) => isOfSameLine(certificate, served)) ? "stale" : "foreign";
}

/** The verdict on an endpoint by its last probe; `undefined` before the first one. */
export function judgeEndpoint(endpoint: EndpointState, state: TargetState, wallMs: number): Verdict | undefined {
  switch (endpoint.kind) {
    case "unprobed":
      return undefined;
    case "unreachable":
      return "unreachable";
    case "served": {
      const { certificate, alsoServed } = endpoint;
      return judgeAllServed([certificate, ...alsoServed], state.wanted?.certificate, ourEarlier(state), wallMs);
    }
  }
}

/** The worst verdict on what the addresses of one endpoint serve; the arguments are those of `judgeServed`. */
export function judgeAllServed(
  served: readonly CertificateFacts[],
  wanted: CertificateFacts | undefined,
  earlier: readonly CertificateFacts[],
  wallMs: number,
): Exclude<Verdict, "unreachable"> {
  const verdicts = served.map((certificate) => judgeServed(certificate, wanted, earlier, wallMs));
  return worstFirst.find((verdict) => verdicts.includes(verdict)) ?? "valid";
}

/** How many renewals ago this certificate was the wanted one, from 1; `undefined` if it never was as far as is known. */
export function renewalsAgo({ fingerprint }: CertificateFacts, { earlier }: TargetState): number | undefined {
  const position = earlier.findIndex((certificate) => certificate.fingerprint === fingerprint);
  return position < 0 ? undefined : position + 1;
}

const worstFirst = ["expired", "foreign", "stale", "valid", "match"] as const;

/** Does every address of the endpoint show exactly the wanted pair? */
export function isWantedServedBy(
  { certificate, alsoServed }: Extract<EndpointState, { kind: "served" }>,
  wanted: Wanted,
): boolean {
  return [certificate, ...alsoServed].every((served) => isServedAs(wanted.certificate, served));
}

/** Every certificate that was seen in the volume, but for the wanted one. */
function ourEarlier(state: TargetState): readonly CertificateFacts[] {
  const { volume } = state;
  const isJudged = volume.kind === "refused" || volume.kind === "held";
  return isJudged && volume.certificate !== undefined ? [volume.certificate, ...state.earlier] : state.earlier;
}

/**
 * Two certificates are of the same line if they are the same, or if one issuer made both for the same names: what the
 * volume held before the agent started isn't known, but it looks like this.
 */
function isOfSameLine(ours: CertificateFacts, served: CertificateFacts): boolean {
  if (ours.fingerprint === served.fingerprint) return true;
  if (ours.issuer !== served.issuer || ours.names.length !== served.names.length) return false;
  if (ours.names.length === 0) return ours.subject === served.subject;
  const names = new Set(ours.names);
  return served.names.every((name) => names.has(name));
}
