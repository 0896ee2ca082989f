import type { X509Certificate } from "node:crypto";
import { isSignedBy } from "./issuer-chain.ts";

const longestPath = 10;

/** Signatures cost; a file with many certificates of one name would ask for the square of their number. */
const mostSignatures = 200;

/**
 * Whether a path of signatures leads from the leaf through `between` to one of the anchors. A leaf that is an anchor
 * itself counts. Dates, names and usages play no part. The search is bounded: beyond 200 signatures the answer is no.
 */
export function leadsToAnchor(
  leaf: X509Certificate,
  between: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
): boolean {
  const anchorPrints = new Set(anchors.map(({ fingerprint256 }) => fingerprint256));
  const tried = new Set<string>();
  let signaturesLeft = mostSignatures;
  const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean => {
    if (signaturesLeft === 0 || !certificate.checkIssued(issuer)) {
      return false;
    }
    signaturesLeft -= 1;
    return isSignedBy(certificate, issuer);
  };
  const search = (current: X509Certificate, depth: number): boolean => {
    tried.add(current.fingerprint256);
    if (anchorPrints.has(current.fingerprint256) || anchors.some((anchor) => isIssuedBy(current, anchor))) {
      return true;
    }
    return (
      depth < longestPath &&
      between.some((next) => !tried.has(next.fingerprint256) && isIssuedBy(current, next) && search(next, depth + 1))
    );
  };
  return search(leaf, 1);
}
