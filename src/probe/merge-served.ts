import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { ProbeResult } from "../core/probe-result.ts";

/**
 * What handshakes with one endpoint that ran at the same time say together, of which a client may get any: the first
 * failure, or the certificate that ends first with the others in `alsoServed`, so that an old one among them is seen.
 */
export function mergeServed(results: readonly [ProbeResult, ...ProbeResult[]]): ProbeResult {
  const durationMs = Math.max(...results.map((result) => result.durationMs));
  const shown = results.reduce(chooseWorse);
  if (shown.kind === "unreachable") {
    return { ...shown, durationMs };
  }
  const others = new Map(results.flatMap(certificatesOf).map((facts) => [facts.chainFingerprint, facts]));
  others.delete(shown.certificate.chainFingerprint);
  return { ...shown, ...(others.size === 0 ? {} : { alsoServed: [...others.values()] }), durationMs };
}

function chooseWorse(one: ProbeResult, other: ProbeResult): ProbeResult {
  if (one.kind === "unreachable" || other.kind === "unreachable") {
    return one.kind === "unreachable" ? one : other;
  }
  return other.certificate.notAfter < one.certificate.notAfter ? other : one;
}

function certificatesOf(result: ProbeResult): readonly CertificateFacts[] {
  return result.kind === "unreachable" ? [] : [result.certificate, ...(result.alsoServed ?? [])];
}
