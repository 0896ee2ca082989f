import { styleText } from "node:util";
import type { CertificateFacts } from "../src/core/certificate-facts.ts";
import type { ProbeResult } from "../src/core/probe-result.ts";
import { createCatalogue } from "../src/metrics/catalogue.ts";
import { toJsonText } from "../src/system/json-text.ts";
import { formatDuration, formatTime } from "../src/system/time-text.ts";
import { printTable } from "./print.ts";
import type { Probed, Urgency } from "./probe.ts";

const colours = { good: "green", warn: "yellow", critical: "red", expired: "red", unreachable: "magenta" } as const;

/** One line for each endpoint, what ends first at the top, and what was found in the last line. */
export function printProbesAsTable(probed: readonly Probed[], wallMs: number, isColoured: boolean): string {
  const head = ["STATE", "ENDPOINT", "LEFT", "UNTIL", "FOR", "ISSUER", "REMARKS"];
  const rows = probed.map(({ endpoint, result, urgency }) => [urgency, endpoint, ...toCells(result, wallMs)]);
  const [first = "", ...lines] = printTable([head, ...rows])
    .trimEnd()
    .split("\n");
  const coloured = lines.map((line, position) => {
    const urgency = probed[position]?.urgency ?? "good";
    return isColoured ? line.replace(urgency, styleText(colours[urgency], urgency, { validateStream: false })) : line;
  });
  return `${[first, ...coloured].join("\n")}\n${summarize(probed)}\n`;
}

/** Everything that was learned, for programs. Times are ISO 8601 in UTC. */
export function printProbesAsJson(probed: readonly Probed[], wallMs: number): string {
  const endpoints = probed.map(({ endpoint, result, urgency }) => {
    if (result.kind === "unreachable")
      return { endpoint, state: urgency, reason: result.reason, detail: result.detail };
    const { certificate, kind: _, durationMs: __, ...rest } = result;
    const daysLeft = Math.floor((certificate.notAfter - wallMs) / 86_400_000);
    const served = {
      ...certificate,
      notBefore: formatTime(certificate.notBefore),
      notAfter: formatTime(certificate.notAfter),
      daysLeft,
    };
    return { endpoint, state: urgency, served, ...rest };
  });
  return toJsonText({ endpoints });
}

/** The metrics of `certhup run` with `target="probe"`, for node_exporter's textfile collector. */
export async function printProbesAsPrometheus(probed: readonly Probed[]): Promise<string> {
  const { registry, notAfter, certificateInfo, probes } = createCatalogue();
  for (const { endpoint, result, urgency } of probed) {
    const labels = { target: "probe", endpoint };
    const verdict = urgency === "expired" || urgency === "unreachable" ? urgency : "valid";
    probes.inc({ ...labels, verdict });
    if (result.kind === "unreachable") continue;
    const certificate = endingFirst(result);
    notAfter.set({ ...labels, source: "served" }, certificate.notAfter / 1000);
    certificateInfo.set(
      { ...labels, source: "served", fingerprint_sha256: certificate.fingerprint, serial: certificate.serialNumber },
      1,
    );
  }
  const names = ["certificate_not_after_timestamp_seconds", "certificate_info", "probes_total"];
  const texts = await Promise.all(names.map((name) => registry.getSingleMetricAsString(`certhup_${name}`)));
  return `${texts.join("\n")}\n`;
}

function toCells(result: ProbeResult, wallMs: number): readonly string[] {
  if (result.kind === "unreachable") return ["-", "-", "-", "-", result.detail];
  const { notAfter, names, subject, issuer } = endingFirst(result);
  const left = notAfter <= wallMs ? "0" : formatDuration(notAfter - wallMs);
  const more = names.length > 1 ? ` (+${names.length - 1})` : "";
  return [left, formatTime(notAfter), `${names[0] ?? subject}${more}`, issuer, describeRemarks(result).join("; ")];
}

/** Of several addresses the one whose certificate ends first is the one to worry about. */
function endingFirst({ certificate, alsoServed = [] }: Extract<ProbeResult, { kind: "served" }>): CertificateFacts {
  return alsoServed.reduce((first, other) => (other.notAfter < first.notAfter ? other : first), certificate);
}

function describeRemarks({
  coversName,
  trust,
  alsoServed,
  ocspStaple,
}: Extract<ProbeResult, { kind: "served" }>): readonly string[] {
  return [
    ...(coversName?.isCovered === false ? [`does not cover ${coversName.name}`] : []),
    ...(trust?.isTrusted === false ? [`not trusted: ${trust.problem}`] : []),
    ...(alsoServed === undefined || alsoServed.length === 0 ? [] : ["another address serves another certificate"]),
    ...(ocspStaple !== undefined && (ocspStaple.status !== "good" || !ocspStaple.isForLeaf)
      ? [`OCSP staple: ${ocspStaple.isForLeaf ? ocspStaple.status : "of another certificate"}`]
      : []),
  ];
}

function summarize(probed: readonly Probed[]): string {
  const order: readonly Urgency[] = ["good", "warn", "critical", "expired", "unreachable"];
  const counts = order.map((urgency) => ({
    urgency,
    count: probed.filter((entry) => entry.urgency === urgency).length,
  }));
  const told = counts.filter(({ count }) => count > 0).map(({ urgency, count }) => `${count} ${urgency}`);
  return `${probed.length} probed: ${told.join(", ")}`;
}
