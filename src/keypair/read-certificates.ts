import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { Finding } from "../core/finding.ts";
import { createFinding } from "./finding-codes.ts";
import { type FileRole, isCertificateLabel } from "./pem-findings.ts";
import type { PemBlock, PemText } from "./pem-text.ts";

/** What clients take in one handshake (OpenSSL's limit for the certificate message is 100 KiB), and a CA bundle. */
const mostInChain = 100;
const mostInCaFile = 1000;

/** The certificates of one file, and what is against those that can't be read. */
export interface ReadCertificates {
  readonly certificates: readonly X509Certificate[];
  readonly findings: readonly Finding[];
}

/** Reads every certificate block of a file in its order. */
export function readCertificates(role: FileRole, file: Buffer, pem: PemText): ReadCertificates {
  const mostCertificates = role === "CA" ? mostInCaFile : mostInChain;
  const blocks = pem.blocks.filter(({ label }) => isCertificateLabel(label));
  const certificates: X509Certificate[] = [];
  const findings: Finding[] = [];
  for (const [index, block] of blocks.slice(0, mostCertificates).entries()) {
    const read = readCertificate(file, block);
    if (read instanceof X509Certificate) {
      certificates.push(read);
    } else if (!block.isFaulty) {
      const place = `certificate ${index + 1} of the ${role} file (byte ${block.start})`;
      findings.push(createFinding("certificate-unreadable", `${place} can't be read: ${read}`));
    }
  }
  if (blocks.length > mostCertificates) {
    const message = `the ${role} file holds ${blocks.length} certificates; at most ${mostCertificates} are read`;
    findings.push(createFinding("too-many-certificates", message));
  }
  return { certificates, findings };
}

/**
 * Why OpenSSL would not load the file as a server's chain; undefined where it would. Reads the whole file by OpenSSL's
 * own rules, as nginx and most servers do; the strength of the key plays no part.
 */
export function explainRejection(file: Buffer): string | undefined {
  try {
    createSecureContext({ cert: file, ca: [], ciphers: "DEFAULT@SECLEVEL=0" });
    return undefined;
  } catch (error) {
    return readReason(error);
  }
}

/** OpenSSL's reason for an error, without file contents. */
export function readReason(error: unknown): string {
  if (error instanceof Error) {
    return "reason" in error && typeof error.reason === "string" ? error.reason : error.message;
  }
  return String(error);
}

function readCertificate(file: Buffer, block: PemBlock): X509Certificate | string {
  try {
    return new X509Certificate(file.subarray(block.start, block.end));
  } catch (error) {
    return readReason(error);
  }
}
