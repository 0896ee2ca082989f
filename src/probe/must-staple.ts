import type { X509Certificate } from "node:crypto";
import { childrenOf, readDer } from "./der.ts";

/** id-pe-tlsfeature, 1.3.6.1.5.5.7.1.24. */
const tlsFeatureOid = Buffer.from([0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x18]);
const sequence = 0x30;
const octetString = 0x04;
const integer = 0x02;
/** `extensions` of TBSCertificate. */
const context3 = 0xa3;
/** The TLS extensions `status_request` and `status_request_v2`. */
const stapling = [5, 17];

/**
 * Does the certificate promise that its server staples an OCSP response (RFC 7633, "must-staple")? Clients that know the
 * promise hang up on a server that breaks it.
 */
export function mustStaple(certificate: X509Certificate): boolean {
  const [whole] = readDer(certificate.raw) ?? [];
  const [signed] = childrenOf(whole, sequence);
  const holder = childrenOf(signed, sequence).find(({ tag }) => tag === context3);
  const extension = childrenOf(childrenOf(holder, context3)[0], sequence)
    .map((element) => childrenOf(element, sequence))
    .find(([oid]) => oid?.content.equals(tlsFeatureOid));
  const value = extension?.at(-1);
  const [features] = value?.tag === octetString ? (readDer(value.content) ?? []) : [];
  return childrenOf(features, sequence).some(
    ({ tag, content }) => tag === integer && content.length === 1 && stapling.includes(content.readUInt8()),
  );
}
