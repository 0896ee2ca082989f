import type { ProbeResult } from "../core/probe-result.ts";

/** The addresses that `localhost` stands for, the one that decides first. */
export const localhostAddresses = ["127.0.0.1", "::1"] as const;

/**
 * What two looks at `localhost` say together. Nothing listening on one address leaves the word to the other. Where
 * both take connections, a client may end up on either, so both must show the same certificate:
 *
 * - both serve the same chain: the result of 127.0.0.1;
 * - they serve different ones: the one that ends first, the other in `alsoServed`, so that an old certificate on
 *   either address is seen;
 * - one serves and the other takes connections but fails: the failure;
 * - none serves: the result of 127.0.0.1, unless nothing listens there.
 */
export function mergeLocalhost(ipv4: ProbeResult, ipv6: ProbeResult): ProbeResult {
  if (isAbsent(ipv6)) {
    return ipv4;
  }
  if (isAbsent(ipv4)) {
    return ipv6;
  }
  const durationMs = Math.max(ipv4.durationMs, ipv6.durationMs);
  if (ipv4.kind === "unreachable" || ipv6.kind === "unreachable") {
    return { ...(ipv4.kind === "unreachable" ? ipv4 : ipv6), durationMs };
  }
  if (ipv4.certificate.chainFingerprint === ipv6.certificate.chainFingerprint) {
    return { ...ipv4, durationMs };
  }
  const [first, second] = ipv6.certificate.notAfter < ipv4.certificate.notAfter ? [ipv6, ipv4] : [ipv4, ipv6];
  return { ...first, alsoServed: [second.certificate], durationMs };
}

/** No listener, or no such address at all (IPv6 switched off in the pod). */
function isAbsent(result: ProbeResult): boolean {
  return result.kind === "unreachable" && (result.reason === "connection-refused" || result.reason === "network-error");
}
