import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { ProbeResult } from "../core/probe-result.ts";

/**
 * What several handshakes with one endpoint say together, of which a client may get any: the first failure, or the
 * certificate that ends first with the others in `alsoServed`, so that an old one among them is seen.
 */
export function mergeServed(results: readonly [ProbeResult, ...ProbeResult[]], durationMs: number): ProbeResult {
  const [first] = results;
  const failure = results.find(({ kind }) => kind === "unreachable");
  if (failure !== undefined) {
    return { ...failure, durationMs };
  }
  const served = results.flatMap((result) => (result.kind === "served" ? [result] : []));
  const everything = served.flatMap(({ certificate, alsoServed = [] }) => [certificate, ...alsoServed]);
  const different = [...new Map(everything.map((facts) => [facts.chainFingerprint, facts])).values()];
  const ending = different.reduce((soonest, facts) => (facts.notAfter < soonest.notAfter ? facts : soonest));
  const shown = served.find(({ certificate }) => certificate === ending) ?? first;
  const alsoServed = different.filter((facts) => facts !== ending);
  return { ...shown, ...describeOthers(alsoServed), durationMs };
}

function describeOthers(alsoServed: readonly CertificateFacts[]): { alsoServed?: readonly CertificateFacts[] } {
  return alsoServed.length === 0 ? {} : { alsoServed };
}
