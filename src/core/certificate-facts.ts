/** The public key algorithm, with the curve where there is one. */
export type KeyType =
  | "rsa"
  | "rsa-pss"
  | "ec-p256"
  | "ec-p384"
  | "ec-p521"
  | "ec-other"
  | "ed25519"
  | "ed448"
  | "other";

/** What a certificate chain says of itself, as plain data: no key material, nothing that needs closing. */
export interface CertificateFacts {
  /** SHA-256 of the leaf's DER, 64 lower-case hex digits. */
  readonly fingerprint: string;
  /**
   * Fingerprints from the leaf upwards, each certificate followed by its issuer. Certificates that issued nothing in
   * the chain and a self-signed root at its end are left out, so that a file and a handshake can be compared.
   */
  readonly chain: readonly string[];
  /** SHA-256 over the DER of every certificate in the order found, 64 lower-case hex digits. */
  readonly chainFingerprint: string;
  /** SHA-256 of the leaf's SubjectPublicKeyInfo, 64 lower-case hex digits. */
  readonly publicKeyFingerprint: string;
  /** Distinguished name in one line, foreign text: escape it where it is shown. */
  readonly subject: string;
  readonly issuer: string;
  /** Upper-case hex as in the certificate. */
  readonly serialNumber: string;
  /** DNS names and IP addresses of the subject alternative name extension, in its order; foreign text. */
  readonly names: readonly string[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  readonly keyType: KeyType;
}
