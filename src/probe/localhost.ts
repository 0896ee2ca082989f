import type { ProbeResult } from "../core/probe-result.ts";
import { mergeServed } from "./merge-served.ts";

/** The addresses that `localhost` stands for, the one that decides first. */
export const localhostAddresses = ["127.0.0.1", "::1"] as const;

/**
 * What two looks at `localhost` say together. Nothing listening on one address leaves the word to the other. Where both
 * take connections, a client may end up on either, so both must show the same certificate.
 */
export function mergeLocalhost(ipv4: ProbeResult, ipv6: ProbeResult): ProbeResult {
  if (isAbsent(ipv6)) {
    return ipv4;
  }
  if (isAbsent(ipv4)) {
    return ipv6;
  }
  return mergeServed([ipv4, ipv6]);
}

/** No listener, or no such address at all (IPv6 switched off in the pod). */
function isAbsent(result: ProbeResult): boolean {
  return result.kind === "unreachable" && (result.reason === "connection-refused" || result.reason === "network-error");
}
