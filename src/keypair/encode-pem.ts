import type { KeyObject, X509Certificate } from "node:crypto";

const alphabet = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const padding = 0x3d;
const lineFeed = 0x0a;
const lineLength = 64;

/**
 * The key as PKCS#8 PEM in a buffer that the caller overwrites. No string is made on the way: a string can't be
 * overwritten and stays in the heap until it is collected.
 */
export function encodePrivateKey(key: KeyObject): Buffer {
  const der = key.export({ type: "pkcs8", format: "der" });
  const begin = Buffer.from("-----BEGIN PRIVATE KEY-----\n");
  const end = Buffer.from("-----END PRIVATE KEY-----\n");
  const encodedLength = Math.ceil(der.length / 3) * 4;
  const pem = Buffer.alloc(begin.length + encodedLength + Math.ceil(encodedLength / lineLength) + end.length);
  begin.copy(pem);
  const behindBody = encodeBase64(der, pem, begin.length);
  end.copy(pem, behindBody);
  der.fill(0);
  return pem;
}

/** Certificates as one PEM text. */
export function encodeCertificates(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join("");
}

function encodeBase64(source: Buffer, target: Buffer, offset: number): number {
  let at = offset;
  for (let index = 0; index < source.length; index += 3) {
    const left = source.length - index;
    const bits = ((source[index] ?? 0) << 16) | ((source[index + 1] ?? 0) << 8) | (source[index + 2] ?? 0);
    target[at] = alphabet[(bits >> 18) & 63] ?? 0;
    target[at + 1] = alphabet[(bits >> 12) & 63] ?? 0;
    target[at + 2] = left > 1 ? (alphabet[(bits >> 6) & 63] ?? 0) : padding;
    target[at + 3] = left > 2 ? (alphabet[bits & 63] ?? 0) : padding;
    at += 4;
    const isLineFull = ((index / 3 + 1) * 4) % lineLength === 0;
    if (isLineFull || left <= 3) {
      target[at] = lineFeed;
      at += 1;
    }
  }
  return at;
}
