/** One complete block. Positions are byte offsets in the file. */
export interface PemBlock {
  readonly label: string;
  /** Of the begin line. */
  readonly start: number;
  /** Behind the end line. */
  readonly end: number;
  /** One of the faults lies in it; OpenSSL may read it all the same, up to the fault. */
  readonly isFaulty: boolean;
}

/** What is wrong at one place of a PEM file. */
export type PemFaultKind =
  | "glued"
  | "one-line-block"
  | "truncated"
  | "unclosed"
  | "end-mismatch"
  | "bad-base64"
  | "blank-line"
  | "skipped";

/** One fault, with the place that an editor can go to. */
export interface PemFault {
  readonly kind: PemFaultKind;
  /** Byte offset in the file. */
  readonly offset: number;
  /** Of the block that it belongs to; empty where there is none. Foreign text. */
  readonly label: string;
}

/** A PEM file, split but not decoded. */
export interface PemText {
  readonly blocks: readonly PemBlock[];
  /** In the order of the file, at most 20. */
  readonly faults: readonly PemFault[];
  readonly hasByteOrderMark: boolean;
  readonly hasWindowsLineEnds: boolean;
  /** True for an empty file as well. */
  readonly hasFinalNewline: boolean;
}
