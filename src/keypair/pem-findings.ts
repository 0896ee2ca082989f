import type { Finding } from "../core/finding.ts";
import { quoteForeign } from "../system/escape.ts";
import { recognizeFile } from "./file-shape.ts";
import { createFinding, type KeypairFindingCode } from "./finding-codes.ts";
import type { PemFault, PemText } from "./pem-text.ts";

/** The word for a file in messages. */
export type FileRole = "certificate" | "key" | "bundle" | "CA";

/**
 * What is wrong with the PEM text of a file that a server would read. A file that was cut off is refused; other faults
 * are refused where OpenSSL refuses the file as well, and a warning where it passes over them.
 */
export function findPemFaults(role: FileRole, pem: PemText, isRejected: boolean): readonly Finding[] {
  return pem.faults.map((fault) => describeFault(role, fault, isRejected));
}

/** What a server reads without complaint and another program may not. */
export function findPemOddities(role: FileRole, pem: PemText): readonly Finding[] {
  const findings: Finding[] = [];
  if (pem.hasByteOrderMark) {
    findings.push(createFinding("pem-byte-order-mark", `the ${role} file starts with a UTF-8 byte order mark`));
  }
  if (pem.hasWindowsLineEnds) {
    findings.push(createFinding("pem-windows-line-ends", `the ${role} file has lines that end in CR LF`));
  }
  if (!pem.hasFinalNewline) {
    findings.push(createFinding("pem-no-final-newline", `the last line of the ${role} file has no line break`));
  }
  for (const block of pem.blocks.filter(({ label }) => !isKnownLabel(label))) {
    const what = `a block ${quoteForeign(block.label)} at byte ${block.start}`;
    findings.push(createFinding("pem-other-block", `the ${role} file holds ${what}, which servers skip`));
  }
  return findings;
}

/** The finding for a file without any PEM block in it, which is not empty either. */
export function findNotPem(role: FileRole, file: Uint8Array): Finding {
  const { description, hint } = recognizeFile(file);
  return createFinding("not-pem", `the ${role} file is not PEM: it looks like ${description}`, { hint });
}

/** Whether the block is a private key, encrypted or not. */
export function isKeyLabel(label: string): boolean {
  return /^(?:(?:RSA|EC|DSA|ENCRYPTED) )?PRIVATE KEY$/.test(label);
}

/** Whether OpenSSL reads a block of this label where it wants a certificate. */
export function isCertificateLabel(label: string): boolean {
  return /^(?:X509 |TRUSTED )?CERTIFICATE$/.test(label);
}

function isKnownLabel(label: string): boolean {
  return isKeyLabel(label) || isCertificateLabel(label) || /^(?:EC|DH|X9\.42 DH) PARAMETERS$/.test(label);
}

const faultTexts: Record<PemFault["kind"], { code: KeypairFindingCode; text: string; hint: string }> = {
  glued: {
    code: "pem-glued-blocks",
    text: "two blocks share a line: a line break is missing between",
    hint: "put a line break between the blocks where the file is put together",
  },
  "one-line-block": {
    code: "pem-one-line-block",
    text: "a begin or end line does not stand alone on its line",
    hint: "keep the line breaks of the PEM text; they are often lost in an environment variable",
  },
  truncated: {
    code: "pem-truncated",
    text: "a block has no end: the file was cut off or is still being written",
    hint: "write the whole file, best under another name that is renamed into place",
  },
  unclosed: {
    code: "pem-unclosed-block",
    text: "a block begins before the end line of the one before it",
    hint: "write the PEM text as it was issued, with its end lines",
  },
  "end-mismatch": {
    code: "pem-end-mismatch",
    text: "an end line does not fit the begin line of its block",
    hint: "write the PEM text as it was issued",
  },
  "bad-base64": {
    code: "pem-bad-base64",
    text: "a block holds something that is not base64",
    hint: "write the PEM text as it was issued",
  },
  "blank-line": {
    code: "pem-blank-line",
    text: "a blank line stands within a block, so that what is before it counts as a header",
    hint: "take the blank line out",
  },
  skipped: {
    code: "pem-block-skipped",
    text: "a begin or end line is indented or incomplete, and servers pass over it",
    hint: "let the line start at its first column, as it was issued",
  },
};

function describeFault(role: FileRole, fault: PemFault, isRejected: boolean): Finding {
  const { code, text, hint } = faultTexts[fault.kind];
  const label = fault.label === "" ? "" : ` (block ${quoteForeign(fault.label)})`;
  const message = `the ${role} file at byte ${fault.offset}${label}: ${text}`;
  const isRefused = isRejected || fault.kind === "truncated";
  return createFinding(code, message, { hint, severity: isRefused ? "refuse" : "warn" });
}
