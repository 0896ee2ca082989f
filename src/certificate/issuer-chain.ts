import type { X509Certificate } from "node:crypto";

/**
 * Whether the certificate names itself as issuer and its own key made its signature. Its key usages play no part: a
 * server's self-signed certificate may well not be allowed to sign certificates.
 */
export function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && isSignedBy(certificate, certificate);
}

/** Whether the issuer's key made the certificate's signature; false as well for a key that can't be used. */
export function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    // A key of an unknown algorithm can verify nothing.
    return false;
  }
}

/**
 * Follows issuer links from the leaf upwards through `others`, as `tls.TLSSocket.getPeerCertificate(true)` does: each
 * time the first certificate that names itself the issuer is taken. Repeated certificates are passed over; a
 * self-signed root is part of the result.
 */
export function orderByIssuer(leaf: X509Certificate, others: readonly X509Certificate[]): readonly X509Certificate[] {
  const chain = [leaf];
  const taken = new Set([leaf.fingerprint256]);
  const left = others.filter((other) => {
    const isNew = !taken.has(other.fingerprint256);
    taken.add(other.fingerprint256);
    return isNew;
  });
  let current = leaf;
  for (;;) {
    const index = left.findIndex((candidate) => current.checkIssued(candidate));
    const issuer = left[index];
    if (issuer === undefined) {
      return chain;
    }
    left.splice(index, 1);
    chain.push(issuer);
    current = issuer;
  }
}
