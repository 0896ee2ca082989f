import { createHash, type X509Certificate } from "node:crypto";
import type { CertificateFacts, KeyType } from "../core/certificate-facts.ts";
import { isSelfSigned, orderByIssuer } from "./issuer-chain.ts";
import { readKeyType } from "./key-type.ts";
import { parseSubjectAltName } from "./names.ts";

/**
 * What a leaf and the certificates found beside it say, the same for a file and for a handshake.
 *
 * @param others every other certificate in the order found; the leaf, repeated or unrelated ones may be among them
 */
export function readFacts(leaf: X509Certificate, others: readonly X509Certificate[]): CertificateFacts {
  const chain = orderByIssuer(leaf, others);
  const last = chain.at(-1);
  const withoutRoot = last !== undefined && chain.length > 1 && isSelfSigned(last) ? chain.slice(0, -1) : chain;
  const every = createHash("sha256").update(leaf.raw);
  for (const other of others) {
    every.update(other.raw);
  }
  return {
    fingerprint: readFingerprint(leaf),
    chain: withoutRoot.map(readFingerprint),
    chainFingerprint: every.digest("hex"),
    ...readPublicKey(leaf),
    subject: toOneLine(leaf.subject),
    issuer: toOneLine(leaf.issuer),
    serialNumber: leaf.serialNumber,
    names: parseSubjectAltName(leaf.subjectAltName),
    notBefore: leaf.validFromDate.getTime(),
    notAfter: leaf.validToDate.getTime(),
  };
}

/** SHA-256 of the certificate's DER, 64 lower-case hex digits. */
export function readFingerprint(certificate: X509Certificate): string {
  return certificate.fingerprint256.replaceAll(":", "").toLowerCase();
}

/** A distinguished name as Node prints it (one part a line), in one line; foreign text. */
export function toOneLine(distinguishedName: string | undefined): string {
  return (distinguishedName ?? "").replaceAll("\n", ", ");
}

function readPublicKey(leaf: X509Certificate): { keyType: KeyType; publicKeyFingerprint: string } {
  try {
    const key = leaf.publicKey;
    const spki = key.export({ type: "spki", format: "der" });
    return { keyType: readKeyType(key), publicKeyFingerprint: createHash("sha256").update(spki).digest("hex") };
  } catch {
    // A key that OpenSSL doesn't know can't be exported; the certificate's own digest still tells two apart.
    return { keyType: "other", publicKeyFingerprint: readFingerprint(leaf) };
  }
}
