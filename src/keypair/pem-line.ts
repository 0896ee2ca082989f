/** What one line of a PEM file is, read as OpenSSL does: a marker counts only at the very start of its line. */
export type PemLine =
  | { readonly kind: "begin"; readonly label: string }
  | { readonly kind: "end"; readonly label: string }
  /** An end line with a begin line right behind it; `at` is where the second one starts within the line. */
  | { readonly kind: "glued"; readonly label: string; readonly at: number }
  /** A begin marker and more of the block on the same line. */
  | { readonly kind: "one-line-block" }
  /** A begin or end marker that doesn't start the line or isn't complete; servers don't see it. */
  | { readonly kind: "misplaced"; readonly marker: "begin" | "end"; readonly at: number }
  | { readonly kind: "blank" }
  | { readonly kind: "text" };

const beginMarker = Buffer.from("-----BEGIN ");
const endMarker = Buffer.from("-----END ");
const dashes = Buffer.from("-----");
const longestLabel = 64;

/** Names the line that reaches from `start` to `end` (the line feed not included). */
export function classifyLine(bytes: Buffer, start: number, end: number): PemLine {
  const line = bytes.subarray(start, trimEnd(bytes, start, end));
  if (line.length === 0) {
    return { kind: "blank" };
  }
  const dashAt = line.indexOf(dashes);
  if (dashAt === -1) {
    return { kind: "text" };
  }
  if (startsWith(line, endMarker)) {
    return classifyEnd(line);
  }
  if (startsWith(line, beginMarker)) {
    return classifyBegin(line);
  }
  const begin = line.indexOf(beginMarker, dashAt);
  const close = line.indexOf(endMarker, dashAt);
  if (begin !== -1) {
    return { kind: "misplaced", marker: "begin", at: begin };
  }
  return close === -1 ? { kind: "text" } : { kind: "misplaced", marker: "end", at: close };
}

/** Whether the line could be the first half of a begin line, cut off by the end of the file. */
export function isCutBegin(bytes: Buffer, start: number, end: number): boolean {
  const line = bytes.subarray(start, end);
  if (line.length < dashes.length) {
    return false;
  }
  return line.length < beginMarker.length
    ? beginMarker.subarray(0, line.length).equals(line)
    : startsWith(line, beginMarker) && line.indexOf(dashes, beginMarker.length) === -1;
}

/** Whether the byte is one of the 64 of the alphabet; padding is none of them. */
export function isBase64(byte: number): boolean {
  return (
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2b ||
    byte === 0x2f
  );
}

function classifyBegin(line: Buffer): PemLine {
  const close = line.indexOf(dashes, beginMarker.length);
  if (close === -1) {
    return { kind: "misplaced", marker: "begin", at: 0 };
  }
  if (close + dashes.length === line.length) {
    return { kind: "begin", label: readLabel(line, beginMarker.length, close) };
  }
  return { kind: "one-line-block" };
}

function classifyEnd(line: Buffer): PemLine {
  const close = line.indexOf(dashes, endMarker.length);
  if (close === -1) {
    return { kind: "misplaced", marker: "end", at: 0 };
  }
  const label = readLabel(line, endMarker.length, close);
  if (close + dashes.length === line.length) {
    return { kind: "end", label };
  }
  const begin = line.indexOf(beginMarker, close);
  return begin === -1 ? { kind: "misplaced", marker: "end", at: 0 } : { kind: "glued", label, at: begin };
}

function readLabel(line: Buffer, start: number, end: number): string {
  return line.toString("latin1", start, Math.min(end, start + longestLabel));
}

function startsWith(line: Buffer, marker: Buffer): boolean {
  return line.length >= marker.length && line.compare(marker, 0, marker.length, 0, marker.length) === 0;
}

function trimEnd(bytes: Buffer, start: number, end: number): number {
  let last = end;
  while (last > start && (bytes[last - 1] ?? 0) <= 0x20) {
    last -= 1;
  }
  return last;
}
