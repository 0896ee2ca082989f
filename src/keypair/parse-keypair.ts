import type { KeyObject, X509Certificate } from "node:crypto";
import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { Finding } from "../core/finding.ts";
import { chooseLeaf } from "./choose-leaf.ts";
import { createFinding } from "./finding-codes.ts";
import { type Keypair, readKeypairFacts } from "./keypair.ts";
import { readPem } from "./pem.ts";
import { type FileRole, findNotPem, findPemFaults, findPemOddities, isKeyLabel } from "./pem-findings.ts";
import type { PemText } from "./pem-text.ts";
import { readAuthorities } from "./read-authorities.ts";
import { explainRejection, readCertificates } from "./read-certificates.ts";
import { readPrivateKey } from "./read-private-key.ts";

/** The contents of the files of one pair, all from one generation. Their size is bounded by whoever reads the volume. */
export interface KeypairFiles {
  /** The certificate file, or the bundle of certificates and key. */
  readonly certificate: Uint8Array;
  /** Absent in certificate-only mode and with a bundle. */
  readonly key?: Uint8Array | undefined;
  /** The CA file; absent and empty mean that there is none. */
  readonly ca?: Uint8Array | undefined;
  /** The certificate file holds the key as well, in any order. */
  readonly bundle?: boolean | undefined;
  /** Contents of the passphrase file; one line end at its end is ignored. */
  readonly passphrase?: Uint8Array | undefined;
}

/** A pair that a server could load, or why there is none. */
export type ParsedKeypair =
  | { readonly kind: "parsed"; readonly keypair: Keypair; readonly findings: readonly Finding[] }
  | {
      readonly kind: "unusable";
      /** What could be read of the certificate, when the key is at fault. */
      readonly certificate: CertificateFacts | undefined;
      readonly findings: readonly Finding[];
    };

/**
 * Parses the files of one pair as OpenSSL, and so most servers, would read them; nothing is repaired. Never throws.
 *
 * The caller hands the buffers over: afterwards the key file, and the certificate file where it holds a key, are
 * overwritten with zeros, so hash them before. The passphrase stays the caller's.
 */
export function parseKeypair(files: KeypairFiles): ParsedKeypair {
  try {
    return parseFiles(files);
  } finally {
    files.key?.fill(0);
    const certificate = toBuffer(files.certificate);
    if (files.bundle === true || certificate.includes("PRIVATE KEY")) {
      certificate.fill(0);
    }
  }
}

function parseFiles(files: KeypairFiles): ParsedKeypair {
  const isBundle = files.bundle === true;
  const role: FileRole = isBundle ? "bundle" : "certificate";
  const chain = parseChainFile(role, toBuffer(files.certificate));
  const key = isBundle ? parseKeyFile(role, toBuffer(files.certificate), files, chain.pem) : parseSeparateKey(files);
  const { authorities, findings: caFindings } = parseAuthorities(files.ca);
  const findings = mergeFindings([...chain.findings, ...key.findings, ...caFindings]);
  const isRefused = findings.some(({ severity }) => severity === "refuse");
  const leaf = chooseLeaf(chain.certificates, key.privateKey);
  if (leaf === undefined) {
    return { kind: "unusable", certificate: undefined, findings };
  }
  const keypair: Keypair = { leaf, chain: chain.certificates, authorities, privateKey: key.privateKey };
  return isRefused
    ? { kind: "unusable", certificate: readKeypairFacts(keypair), findings }
    : { kind: "parsed", keypair, findings };
}

function parseChainFile(
  role: FileRole,
  file: Buffer,
): { certificates: readonly X509Certificate[]; findings: readonly Finding[]; pem: PemText | undefined } {
  const unread = findUnread(role, file);
  if (unread !== undefined) {
    return { certificates: [], findings: [unread], pem: undefined };
  }
  const pem = readPem(file);
  if (pem.blocks.length === 0 && pem.faults.every(({ kind }) => kind === "skipped")) {
    return { certificates: [], findings: [findNotPem(role, file)], pem };
  }
  const { certificates, findings: unreadable } = readCertificates(role, file, pem);
  const rejection = explainRejection(file);
  const faults = findPemFaults(role, pem, rejection !== undefined);
  const findings = [...faults, ...unreadable, ...findPemOddities(role, pem)];
  if (role === "certificate" && pem.blocks.some(({ label }) => isKeyLabel(label))) {
    findings.push(createFinding("key-in-certificate-file", "the certificate file holds a private key as well"));
  }
  const hasReason = findings.some(({ severity }) => severity === "refuse");
  if (certificates.length === 0 && !hasReason) {
    const only = pem.blocks.some(({ label }) => isKeyLabel(label)) ? ", only a private key" : "";
    findings.unshift(createFinding("no-certificate", `the ${role} file holds no certificate${only}`));
  } else if (rejection !== undefined && !hasReason) {
    findings.unshift(createFinding("rejected-by-openssl", `OpenSSL can't load the ${role} file: ${rejection}`));
  }
  return { certificates, findings, pem };
}

function parseSeparateKey(files: KeypairFiles): { privateKey: KeyObject | undefined; findings: readonly Finding[] } {
  if (files.key === undefined) {
    const message = "only the certificate is watched, so whether the server's key belongs to it was not checked";
    return { privateKey: undefined, findings: [createFinding("key-not-checked", message)] };
  }
  const file = toBuffer(files.key);
  const unread = findUnread("key", file);
  return unread === undefined
    ? parseKeyFile("key", file, files, readPem(file))
    : { privateKey: undefined, findings: [unread] };
}

function parseKeyFile(
  role: FileRole,
  file: Buffer,
  files: KeypairFiles,
  pem: PemText | undefined,
): { privateKey: KeyObject | undefined; findings: readonly Finding[] } {
  if (pem === undefined) {
    return { privateKey: undefined, findings: [] };
  }
  if (pem.blocks.length === 0 && pem.faults.every(({ kind }) => kind === "skipped")) {
    return { privateKey: undefined, findings: [findNotPem(role, file)] };
  }
  const { key, findings } = readPrivateKey(role, file, pem, files.passphrase);
  const rest =
    role === "bundle" || key === undefined ? [] : [...findPemFaults(role, pem, false), ...findPemOddities(role, pem)];
  return { privateKey: key, findings: [...findings, ...rest] };
}

function parseAuthorities(file: Uint8Array | undefined): {
  authorities: readonly X509Certificate[];
  findings: readonly Finding[];
} {
  if (file === undefined || file.length === 0) {
    return { authorities: [], findings: [] };
  }
  const read = readAuthorities(file);
  return read.kind === "read"
    ? { authorities: read.authorities, findings: [] }
    : { authorities: [], findings: [createFinding("ca-file-unusable", read.reason)] };
}

function findUnread(role: FileRole, file: Buffer): Finding | undefined {
  if (file.every((byte) => byte <= 0x20)) {
    const code = role === "key" ? "key-file-empty" : "certificate-file-empty";
    return createFinding(code, `the ${role} file is empty`, { hint: "look whether the issuer has finished" });
  }
  return undefined;
}

/** The same finding from two readings of a file counts once, with the graver severity. */
function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  const merged = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.code} ${finding.message}`;
    if (!merged.has(key) || finding.severity === "refuse") {
      merged.set(key, finding);
    }
  }
  return [...merged.values()];
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
