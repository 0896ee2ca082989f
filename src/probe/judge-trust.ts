import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { toOneLine } from "../certificate/facts.ts";
import { isSignedBy, orderByIssuer } from "../certificate/issuer-chain.ts";
import { quoteForeign } from "../system/escape.ts";
import type { PresentedChain } from "./presented-chain.ts";

/** Why a client that trusts the CA file alone would turn a chain away; undefined where it would not. */
export function findTrustProblem(
  chain: PresentedChain,
  authorities: readonly X509Certificate[],
  nowMs: number,
): string | undefined {
  const path = orderByIssuer(chain.leaf, chain.others);
  let last = chain.leaf;
  for (const [index, certificate] of path.entries()) {
    last = certificate;
    const problem = findOwnProblem(certificate, index === 0 ? undefined : path[index - 1], nowMs);
    if (problem !== undefined) {
      return problem;
    }
    const anchor = authorities.find((authority) => isAnchorOf(authority, certificate));
    if (anchor !== undefined) {
      return isWithin(anchor, nowMs) ? undefined : `${name(anchor)} of the CA file is not valid now`;
    }
  }
  return `nobody in the CA file issued ${name(last)}: its issuer ${quoteName(last.issuer)} is missing or not trusted`;
}

/**
 * Whether the leaf is for this name (RFC 9525: subject alternative names alone, never the common name) or IP address.
 */
export function coversName(leaf: X509Certificate, wanted: string): boolean {
  return isIP(wanted) === 0
    ? leaf.checkHost(wanted, { subject: "never" }) !== undefined
    : leaf.checkIP(wanted) !== undefined;
}

function findOwnProblem(
  certificate: X509Certificate,
  issued: X509Certificate | undefined,
  nowMs: number,
): string | undefined {
  if (!isWithin(certificate, nowMs)) {
    return `${name(certificate)} is valid only from ${certificate.validFromDate.toISOString()} to ${certificate.validToDate.toISOString()}`;
  }
  if (issued === undefined) {
    return undefined;
  }
  if (!certificate.ca) {
    return `${name(certificate)} issued ${name(issued)} but is no CA`;
  }
  return isSignedBy(issued, certificate) ? undefined : `${name(certificate)} did not sign ${name(issued)}`;
}

function isAnchorOf(authority: X509Certificate, certificate: X509Certificate): boolean {
  return (
    authority.raw.equals(certificate.raw) ||
    (authority.ca && certificate.checkIssued(authority) && isSignedBy(certificate, authority))
  );
}

function isWithin(certificate: X509Certificate, nowMs: number): boolean {
  return certificate.validFromDate.getTime() <= nowMs && nowMs <= certificate.validToDate.getTime();
}

function name(certificate: X509Certificate): string {
  return quoteName(certificate.subject);
}

function quoteName(distinguishedName: string): string {
  return quoteForeign(toOneLine(distinguishedName));
}
