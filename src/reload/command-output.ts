import { escapeForeign } from "../system/escape.ts";

/** Keeps the end of what a command writes, and forgets the rest: an endless one costs no memory. */
export interface OutputTail {
  add(chunk: Buffer): void;
  /** The last lines, for people. */
  text(): string;
}

/** Creates a tail that holds the last `maxBytes` bytes. */
export function createOutputTail(maxBytes = 8_192): OutputTail {
  let chunks: Buffer[] = [];
  let length = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      length += chunk.length;
      if (length < 2 * maxBytes) return;
      chunks = [Buffer.concat(chunks).subarray(-maxBytes)];
      length = maxBytes;
    },
    text: () => Buffer.concat(chunks).subarray(-maxBytes).toString("utf8"),
  };
}

const quotedCharacters = 300;

/** The last 300 characters of an output in one line, escaped: the end is where a command says what went wrong. */
export function quoteEnd(output: string): string {
  const line = escapeForeign(joinLines(output), Number.POSITIVE_INFINITY);
  return line.length > quotedCharacters ? `…${line.slice(1 - quotedCharacters)}` : line;
}

/** The first 300 characters of an answer in one line, escaped. */
export function quoteStart(output: string): string {
  return escapeForeign(joinLines(output.slice(0, 4 * quotedCharacters)), quotedCharacters);
}

function joinLines(text: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" / ");
}
