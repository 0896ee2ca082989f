import { PemReader } from "./pem-reader.ts";
import type { PemText } from "./pem-text.ts";

const lineFeed = 0x0a;

/** OpenSSL reads a longer line in pieces, and a marker at the start of a piece counts (crypto/pem/pem_lib.c). */
const longestLine = 254;

/**
 * Splits a PEM file (RFC 7468, with RFC 1421 headers) into blocks and names what is wrong with it. One pass over the
 * bytes; nothing is decoded or copied, so that it can read keys. As in OpenSSL, a block reaches to the next line that
 * starts with an end marker, whatever is between.
 */
export function readPem(file: Uint8Array): PemText {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const reader = new PemReader(bytes);
  let start = hasByteOrderMark ? 3 : 0;
  let isContinued = false;
  while (start < bytes.length) {
    const found = bytes.subarray(start, start + longestLine).indexOf(lineFeed);
    const end = found === -1 ? Math.min(start + longestLine, bytes.length) : start + found;
    reader.readLine(start, end, isContinued);
    isContinued = found === -1;
    start = found === -1 ? end : end + 1;
  }
  reader.finish();
  return {
    blocks: reader.blocks,
    faults: reader.faults,
    hasByteOrderMark,
    hasWindowsLineEnds: bytes.includes("\r\n"),
    hasFinalNewline: bytes.length === 0 || bytes.at(-1) === lineFeed,
  };
}
