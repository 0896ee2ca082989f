import process from "node:process";
import { pipeline } from "node:stream/promises";
import type { Issue } from "../src/config/issue.ts";
import type { CertificateFacts } from "../src/core/certificate-facts.ts";
import type { Finding } from "../src/core/finding.ts";
import { CerthupError } from "../src/system/certhup-error.ts";
import { escapeForeign } from "../src/system/escape.ts";
import { formatTime } from "../src/system/time-text.ts";

const longestLine = 1_000;

/** The two outputs of the program. */
export const print: { output(text: string): void; error(text: string): void } = {
  output: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
};

/** Something long, piece by piece as fast as it is read; ends early where nobody reads any more. */
export async function printPieces(pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(pieces, process.stdout, { end: false });
  } catch (error) {
    // An output that can't be written to is told where the program begins.
    if ((error as NodeJS.ErrnoException).syscall !== "write") throw error;
  }
}

/** `error:` in one line and `hint:` in the next, for every issue. */
export function printIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, message, hint }) => printError(`${path}: ${message}`, hint)).join("");
}

/** One `error:` line and, where there is one, its `hint:` line; foreign text in them is escaped. */
export function printError(message: string, hint: string | undefined): string {
  const error = `error: ${escapeForeign(message, longestLine)}\n`;
  return hint === undefined ? error : `${error}hint: ${escapeForeign(hint, longestLine)}\n`;
}

/** A fault of the program, with what its makers need to find it. */
export function explainFault(fault: unknown): string {
  if (fault instanceof CerthupError) return printError(fault.message, fault.hint);
  const stack = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  return `error: a fault in certhup\nhint: please report it with the lines that follow\n${stack}\n`;
}

/** Rows in columns as wide as their widest cell, two blanks apart; foreign text is escaped. */
export function printTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map(escapeCells);
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) => padCells(row, widths)).join("");
}

/** One row's cells, foreign text in them escaped and cut to what a table has room for; the last may be longest. */
export function escapeCells(row: readonly string[]): readonly string[] {
  return row.map((cell, column) => escapeForeign(cell, column + 1 < row.length ? 80 : 200));
}

/** One line of a table, with its line feed. */
export function padCells(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return `${padded.join("  ").trimEnd()}\n`;
}

/** A certificate for programs: all that it says of itself, times as ISO 8601 in UTC, and the whole days it has left. */
export function toCertificateObject(certificate: CertificateFacts, wallMs: number): object {
  return {
    ...certificate,
    notBefore: formatTime(certificate.notBefore),
    notAfter: formatTime(certificate.notAfter),
    daysLeft: Math.floor((certificate.notAfter - wallMs) / 86_400_000),
  };
}

/** Each finding in one line, its hint indented below. */
export function printFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ severity, code, message, hint }) => {
      const advice = hint === undefined ? "" : `  ${escapeForeign(hint, longestLine)}\n`;
      return `${severity}: ${escapeForeign(message, longestLine)} (${code})\n${advice}`;
    })
    .join("");
}
