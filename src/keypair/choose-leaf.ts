import type { KeyObject, X509Certificate } from "node:crypto";

/**
 * The certificate that the key belongs to, the first of them where there are several. Without a match or a key: the
 * first one, unless it is an authority and another one isn't.
 */
export function chooseLeaf(
  certificates: readonly X509Certificate[],
  privateKey: KeyObject | undefined,
): X509Certificate | undefined {
  const owner =
    privateKey === undefined ? undefined : certificates.find((certificate) => isOwner(certificate, privateKey));
  const first = certificates[0];
  return owner ?? (first?.ca === true ? (certificates.find(({ ca }) => !ca) ?? first) : first);
}

/** Whether the key belongs to the certificate; false as well for a certificate key that OpenSSL doesn't know. */
export function isOwner(certificate: X509Certificate, privateKey: KeyObject): boolean {
  try {
    return certificate.checkPrivateKey(privateKey);
  } catch {
    // An unknown key algorithm in the certificate can't be that of a key that was read.
    return false;
  }
}
