import { createPrivateKey, type KeyObject } from "node:crypto";
import type { Finding } from "../core/finding.ts";
import { createFinding } from "./finding-codes.ts";
import { type FileRole, findPemFaults, isKeyLabel } from "./pem-findings.ts";
import type { PemText } from "./pem-text.ts";
import { readReason } from "./read-certificates.ts";

/** The private key of a file as servers take it: the first one. */
export interface ReadKey {
  readonly key: KeyObject | undefined;
  readonly findings: readonly Finding[];
}

/** Reads the first private key of a PEM file. The bytes are left as they are. */
export function readPrivateKey(
  role: FileRole,
  file: Buffer,
  pem: PemText,
  passphrase: Uint8Array | undefined,
): ReadKey {
  const blocks = pem.blocks.filter(({ label }) => isKeyLabel(label));
  const isEncrypted = blocks[0] !== undefined && isEncryptedBlock(file.subarray(blocks[0].start, blocks[0].end));
  if (isEncrypted && passphrase === undefined) {
    const hint =
      "give the passphrase with --key-passphrase-file, or leave the key out of the check with --key-file none";
    return refuse(createFinding("key-encrypted", `the key in the ${role} file is encrypted`, { hint }));
  }
  try {
    const key = createPrivateKey({
      key: file,
      format: "pem",
      ...(isEncrypted && passphrase !== undefined ? { passphrase: trimLineEnd(passphrase) } : {}),
    });
    return { key, findings: blocks.length > 1 ? [severalKeys(role, blocks.length)] : [] };
  } catch (error) {
    return explainFailure(role, pem, { error, hasBlock: blocks.length > 0, isEncrypted });
  }
}

function explainFailure(
  role: FileRole,
  pem: PemText,
  failure: { error: unknown; hasBlock: boolean; isEncrypted: boolean },
): ReadKey {
  const faults = findPemFaults(role, pem, true);
  if (faults.length > 0) {
    return { key: undefined, findings: faults };
  }
  if (!failure.hasBlock) {
    const labels = pem.blocks.some(({ label }) => label.includes("CERTIFICATE")) ? ", only certificates" : "";
    return refuse(createFinding("no-private-key", `the ${role} file holds no private key${labels}`));
  }
  if (failure.isEncrypted) {
    const hint = "check the passphrase file; one line end at its end is ignored";
    const message = `the key in the ${role} file does not decrypt with the passphrase given`;
    return refuse(createFinding("key-passphrase-wrong", message, { hint }));
  }
  const message = `the key in the ${role} file can't be read: ${readReason(failure.error)}`;
  return refuse(createFinding("key-unreadable", message));
}

function severalKeys(role: FileRole, count: number): Finding {
  return createFinding("several-keys", `the ${role} file holds ${count} private keys; servers take the first`);
}

function refuse(finding: Finding): ReadKey {
  return { key: undefined, findings: [finding] };
}

/** PKCS#8 says it in the label, the traditional form in its headers (RFC 1421, section 4.6.1.1). */
function isEncryptedBlock(block: Buffer): boolean {
  return block.includes("BEGIN ENCRYPTED PRIVATE KEY") || block.includes("Proc-Type: 4,ENCRYPTED");
}

function trimLineEnd(passphrase: Uint8Array): Buffer {
  let end = passphrase.length;
  if (passphrase[end - 1] === 0x0a) {
    end -= 1;
  }
  if (passphrase[end - 1] === 0x0d) {
    end -= 1;
  }
  return Buffer.from(passphrase.buffer, passphrase.byteOffset, end);
}
