import type { X509Certificate } from "node:crypto";
import { readPem } from "./pem.ts";
import { findNotPem } from "./pem-findings.ts";
import { readCertificates } from "./read-certificates.ts";

/** The certificates of a CA file, or why there is none in it. */
export type ReadAuthorities =
  | { readonly kind: "read"; readonly authorities: readonly X509Certificate[] }
  | { readonly kind: "none"; readonly reason: string };

/** Reads every certificate of a CA file that can be read. Never throws for what is in the file. */
export function readAuthorities(file: Uint8Array): ReadAuthorities {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.every((byte) => byte <= 0x20)) return { kind: "none", reason: "the CA file is empty" };
  const { certificates, findings } = readCertificates("CA", bytes, readPem(bytes));
  if (certificates.length > 0) return { kind: "read", authorities: certificates };
  const { message } = findings[0] ?? findNotPem("CA", bytes);
  return { kind: "none", reason: message };
}
