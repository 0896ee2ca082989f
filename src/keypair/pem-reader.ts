import { classifyLine, isBase64, isCutBegin } from "./pem-line.ts";
import type { PemBlock, PemFault, PemFaultKind } from "./pem-text.ts";

interface OpenBlock {
  readonly label: string;
  readonly start: number;
  /** `headers` once a line with a colon was seen, until the blank line behind them. */
  part: "start" | "headers" | "body" | "padded";
  bodyLength: number;
  isFaulty: boolean;
}

const mostFaults = 20;
const mostBlocks = 1000;

/** Takes the lines of a PEM file one after another and collects its blocks and faults. */
export class PemReader {
  readonly blocks: PemBlock[] = [];
  readonly faults: PemFault[] = [];
  readonly #bytes: Buffer;
  #open: OpenBlock | undefined;
  #hasSkippedBegin = false;
  #isLineNamed = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Takes the bytes from `start` to `end` as a line, or as a further piece of the line before. */
  readLine(start: number, end: number, isContinued: boolean): void {
    this.#isLineNamed &&= isContinued;
    const line = classifyLine(this.#bytes, start, end);
    switch (line.kind) {
      case "begin":
        this.#begin(line.label, start);
        return;
      case "end":
        this.#end(line.label, start, end);
        return;
      case "glued":
        this.#glued(start, end, line.at);
        return;
      case "one-line-block":
        this.#oneLineBlock(start);
        return;
      case "misplaced":
        this.#misplaced(line.marker, start, end, line.at);
        return;
      case "blank":
        this.#blank(start);
        return;
      case "text":
        this.#text(start, end);
        return;
    }
  }

  /** To be called once, behind the last line. */
  finish(): void {
    this.#fault("truncated", this.#open?.start);
    this.#open = undefined;
  }

  #begin(label: string, start: number): void {
    if (this.#open !== undefined) {
      this.#fault("unclosed", start);
      return;
    }
    this.#hasSkippedBegin = false;
    this.#open = { label, start, part: "start", bodyLength: 0, isFaulty: false };
  }

  #end(label: string, start: number, end: number): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) {
      this.#skip("end", start, label);
      return;
    }
    if (open.label !== label) {
      this.#note("end-mismatch", start, open.label);
      return;
    }
    if (!open.isFaulty && open.bodyLength % 4 !== 0) {
      open.isFaulty = true;
      this.#note("bad-base64", start, label);
    }
    if (this.blocks.length < mostBlocks) {
      const { start: begin, isFaulty } = open;
      this.blocks.push({ label, start: begin, end: Math.min(end + 1, this.#bytes.length), isFaulty });
    }
  }

  #oneLineBlock(start: number): void {
    if (this.#open !== undefined) {
      this.#fault("one-line-block", start);
      return;
    }
    this.#note("one-line-block", start, "");
    this.#hasSkippedBegin = true;
  }

  /** Outside a block the line is no begin line for OpenSSL either, since its marker isn't at the start. */
  #glued(start: number, end: number, at: number): void {
    if (this.#open === undefined) {
      this.#skip("begin", start + at, "");
      return;
    }
    this.#fault("glued", start + at);
    this.#open = undefined;
    this.readLine(start + at, end, true);
  }

  #misplaced(marker: "begin" | "end", start: number, end: number, at: number): void {
    if (this.#open !== undefined) {
      const isDamagedEnd = marker === "end" && at === 0;
      this.#fault(isDamagedEnd ? "end-mismatch" : "one-line-block", start + at);
      this.#open = isDamagedEnd ? undefined : this.#open;
    } else if (end === this.#bytes.length && isCutBegin(this.#bytes, start, end)) {
      this.#note("truncated", start, "");
    } else {
      this.#skip(marker, start + at, "");
    }
  }

  /** The end line of a block whose begin line was passed over is no news. */
  #skip(marker: "begin" | "end", offset: number, label: string): void {
    if (!this.#isLineNamed && (marker === "begin" || !this.#hasSkippedBegin)) {
      this.#note("skipped", offset, label);
    }
    this.#hasSkippedBegin = marker === "begin";
  }

  #blank(start: number): void {
    if (this.#open?.part === "headers") {
      this.#open.part = "start";
    } else if (this.#open !== undefined && this.#open.bodyLength > 0) {
      this.#fault("blank-line", start);
    }
  }

  #text(start: number, end: number): void {
    const open = this.#open;
    if (open === undefined) {
      if (end === this.#bytes.length && isCutBegin(this.#bytes, start, end)) {
        this.#note("truncated", start, "");
      }
      return;
    }
    const isHeader = open.part === "headers" || (open.part === "start" && this.#hasColon(start, end));
    if (isHeader) {
      open.part = "headers";
    } else {
      this.#body(open, start, end);
    }
  }

  #body(open: OpenBlock, start: number, end: number): void {
    if (open.part === "start") {
      open.part = "body";
    }
    for (let at = start; at < end; at++) {
      const byte = this.#bytes[at] ?? 0;
      if (byte <= 0x20) {
        continue;
      }
      const isPadding = byte === 0x3d;
      if (!(isPadding || (open.part === "body" && isBase64(byte)))) {
        this.#fault("bad-base64", at);
        return;
      }
      open.part = isPadding ? "padded" : open.part;
      open.bodyLength += 1;
    }
  }

  #hasColon(start: number, end: number): boolean {
    return this.#bytes.subarray(start, end).includes(0x3a);
  }

  /** One fault a block: the first one says why, the others only follow from it. */
  #fault(kind: PemFaultKind, offset: number | undefined): void {
    if (this.#open !== undefined && !this.#open.isFaulty && offset !== undefined) {
      this.#open.isFaulty = true;
      this.#note(kind, offset, this.#open.label);
    }
  }

  #note(kind: PemFaultKind, offset: number, label: string): void {
    this.#isLineNamed = true;
    if (this.faults.length < mostFaults) {
      this.faults.push({ kind, offset, label });
    }
  }
}
