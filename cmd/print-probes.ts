import { styleText } from "node:util";
import { createCatalogue } from "../src/metrics/catalogue.ts";
import { escapeJson } from "../src/system/json-text.ts";
import { formatDuration, formatTime } from "../src/system/time-text.ts";
import { escapeCells, padCells, toCertificateObject } from "./print.ts";
import type { Probed, ServedResult, Urgency } from "./probed.ts";

/**
 * One way to print what endpoints serve. A list may be long and its order is known only at its end: until then no more is
 * kept of an endpoint than will be printed of it, and then it is printed piece by piece.
 */
export interface ProbePrinter<Row> {
  toRow(probed: Probed): Row;
  print(rows: readonly Row[]): Iterable<string> | AsyncIterable<string>;
}

const columns = ["STATE", "ENDPOINT", "LEFT", "UNTIL", "FOR", "ISSUER", "REMARKS"];
const colours = { good: "green", warn: "yellow", critical: "red", expired: "red", unreachable: "magenta" } as const;
/** Stands in no cell: escaped text has no control characters. */
const separator = "\t";

/** One line for each endpoint, and what was found in the last line. */
export function createTablePrinter(isColoured: boolean): ProbePrinter<string> {
  const widths = columns.map((column) => column.length);
  const counts = { good: 0, warn: 0, critical: 0, expired: 0, unreachable: 0 };
  const colour = (line: string, urgency: Urgency): string =>
    isColoured ? line.replace(urgency, styleText(colours[urgency], urgency, { validateStream: false })) : line;
  return {
    toRow({ endpoint, result, urgency, wallMs }) {
      const facts = result.kind === "served" ? describeServed(result, wallMs) : ["-", "-", "-", "-", result.detail];
      const cells = escapeCells([urgency, endpoint, ...facts]);
      for (const [column, cell] of cells.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
      counts[urgency] += 1;
      return cells.join(separator);
    },
    *print(rows) {
      yield padCells(columns, widths);
      for (const row of rows) {
        const cells = row.split(separator);
        yield colour(padCells(cells, widths), cells[0] as Urgency);
      }
      const found = Object.entries(counts).filter(([, count]) => count > 0);
      yield `${rows.length} probed: ${found.map(([urgency, count]) => `${count} ${urgency}`).join(", ")}\n`;
    },
  };
}

/** Everything that was learned, for programs. Times are ISO 8601 in UTC. */
export const jsonPrinter: ProbePrinter<string> = {
  toRow: ({ endpoint, result, urgency, wallMs }) => {
    if (result.kind === "unreachable") {
      const { reason, detail } = result;
      return JSON.stringify({ endpoint, state: urgency, reason, detail });
    }
    const { certificate, alsoServed, kind: _, durationMs: __, ...rest } = result;
    const others = alsoServed?.map((other) => toCertificateObject(other, wallMs));
    return JSON.stringify({
      endpoint,
      state: urgency,
      served: toCertificateObject(certificate, wallMs),
      alsoServed: others,
      ...rest,
    });
  },
  *print(rows) {
    yield '{\n  "endpoints": [';
    for (const [position, row] of rows.entries()) {
      const indented = JSON.stringify(JSON.parse(row), undefined, 2).replaceAll("\n", "\n    ");
      yield `${position === 0 ? "" : ","}\n    ${escapeJson(indented)}`;
    }
    yield "\n  ]\n}\n";
  },
};

/** What the metrics tell of one endpoint. */
interface SampleRow {
  readonly endpoint: string;
  readonly verdict: "valid" | "expired" | "unreachable";
  readonly served: { readonly notAfter: number; readonly fingerprint: string; readonly serial: string } | undefined;
}

/** So many endpoints are in the registry at once. */
const rowsPerPiece = 100;

/** The metrics of `certhup run` with `target="probe"`, for node_exporter's textfile collector. */
export const prometheusPrinter: ProbePrinter<SampleRow> = {
  toRow: ({ endpoint, result, urgency }) => {
    const verdict = urgency === "expired" || urgency === "unreachable" ? urgency : "valid";
    if (result.kind === "unreachable") return { endpoint, verdict, served: undefined };
    const { notAfter, fingerprint, serialNumber } = result.certificate;
    return { endpoint, verdict, served: { notAfter, fingerprint, serial: serialNumber } };
  },
  async *print(rows) {
    const { registry, notAfter, certificateInfo, probes } = createCatalogue();
    const target = "probe";
    const source = "served";
    const metrics = [
      {
        name: "certhup_certificate_not_after_timestamp_seconds",
        add: ({ endpoint, served }: SampleRow) =>
          served && notAfter.set({ target, endpoint, source }, served.notAfter / 1000),
      },
      {
        name: "certhup_certificate_info",
        add: ({ endpoint, served }: SampleRow) =>
          served &&
          certificateInfo.set(
            { target, endpoint, source, fingerprint_sha256: served.fingerprint, serial: served.serial },
            1,
          ),
      },
      {
        name: "certhup_probes_total",
        add: ({ endpoint, verdict }: SampleRow) => probes.inc({ target, endpoint, verdict }),
      },
    ];
    for (const { name, add } of metrics) {
      // Help and type, once.
      yield `${await registry.getSingleMetricAsString(name)}\n`;
      for (let first = 0; first < rows.length; first += rowsPerPiece) {
        for (const row of rows.slice(first, first + rowsPerPiece)) add(row);
        const text = await registry.getSingleMetricAsString(name);
        registry.resetMetrics();
        const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
        yield samples.map((line) => `${line}\n`).join("");
      }
    }
  },
};

function describeServed(result: ServedResult, wallMs: number): readonly string[] {
  const { notAfter, names, subject, issuer } = result.certificate;
  const left = notAfter <= wallMs ? "0" : formatDuration(notAfter - wallMs);
  const more = names.length > 1 ? ` (+${names.length - 1})` : "";
  return [left, formatTime(notAfter), `${names[0] ?? subject}${more}`, issuer, describeRemarks(result).join("; ")];
}

function describeRemarks({
  coversName,
  trust,
  chainProblems,
  alsoServed,
  ocspStaple,
}: ServedResult): readonly string[] {
  // Clients pass over a root.
  const ofChain = chainProblems?.filter(({ code }) => code !== "chain-root-included") ?? [];
  return [
    ...(coversName?.isCovered === false ? [`does not cover ${coversName.name}`] : []),
    ...(trust?.isTrusted === false ? [`not trusted: ${trust.problem}`] : []),
    ...ofChain.map(({ message }) => message),
    ...(alsoServed === undefined || alsoServed.length === 0
      ? []
      : ["another process or address behind it serves another certificate"]),
    ...(ocspStaple === undefined ? [] : describeStaple(ocspStaple)),
  ];
}

function describeStaple({
  status,
  isForLeaf,
  serialNumber,
}: NonNullable<ServedResult["ocspStaple"]>): readonly string[] {
  if (status === "missing") return ["no OCSP staple, though the certificate promises one (must-staple)"];
  if (serialNumber !== undefined && !isForLeaf) return [`OCSP staple of another certificate (serial ${serialNumber})`];
  return status === "good" ? [] : [`OCSP staple: ${status}`];
}
