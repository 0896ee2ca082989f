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
    case "served":
      return findWorst(endpoint, state, wallMs).verdict;
  }
}

type ServedEndpoint = Extract<EndpointState, { readonly kind: "served" }>;

/** A verdict and the certificate that it rests on. */
export interface Judged {
  readonly verdict: Exclude<Verdict, "unreachable">;
  readonly certificate: CertificateFacts;
}

const worstFirst = ["expired", "foreign", "stale", "valid", "match"] as const;

/** The worst of what the addresses of one endpoint serve; the last three arguments are those of `judgeServed`. */
export function judgeAllServed(
  first: CertificateFacts,
  others: readonly CertificateFacts[],
  wanted: CertificateFacts | undefined,
  earlier: readonly CertificateFacts[],
  wallMs: number,
): Judged {
  const judge = (certificate: CertificateFacts): Judged => ({
    certificate,
    verdict: judgeServed(certificate, wanted, earlier, wallMs),
  });
  const rank = ({ verdict }: Judged): number => worstFirst.indexOf(verdict);
  return others.map(judge).reduce((worst, other) => (rank(other) < rank(worst) ? other : worst), judge(first));
}

/** The worst of what the addresses of an endpoint served at its last probe. */
export function findWorst({ certificate, alsoServed }: ServedEndpoint, state: TargetState, wallMs: number): Judged {
  return judgeAllServed(certificate, alsoServed, state.wanted?.certificate, ourEarlier(state), wallMs);
}

/** Every certificate that the addresses of an endpoint show. */
export function servedBy({ certificate, alsoServed }: ServedEndpoint): readonly CertificateFacts[] {
  return [certificate, ...alsoServed];
}

/** Every certificate that is served anywhere, by the last probes. */
export function servedAnywhere({ endpoints }: TargetState): readonly CertificateFacts[] {
  return endpoints.flatMap((endpoint) => (endpoint.kind === "served" ? servedBy(endpoint) : []));
}

/** How many renewals ago this certificate was the wanted one, from 1; `undefined` if it never was as far as is known. */
export function renewalsAgo({ fingerprint }: CertificateFacts, { earlier }: TargetState): number | undefined {
  const position = earlier.findIndex((certificate) => certificate.fingerprint === fingerprint);
  return position < 0 ? undefined : position + 1;
}

/** Does every address of the endpoint show exactly the wanted pair? */
export function isWantedServedBy(endpoint: ServedEndpoint, wanted: Wanted): boolean {
  return servedBy(endpoint).every((served) => isServedAs(wanted.certificate, served));
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
