import type { CertificateFacts } from "../src/core/certificate-facts.ts";
import { formatDuration, formatTime } from "../src/system/time-text.ts";
import type { TargetCheck } from "./check.ts";
import { printFindings, printTable } from "./print.ts";

/** What `certhup check` found, for people. */
export function printChecksAsTable(checks: readonly TargetCheck[], wallMs: number): string {
  const rows = checks.flatMap((check) => toRows(check, wallMs));
  const head = ["TARGET", "WHERE", "VERDICT", "FINGERPRINT", "UNTIL", "LEFT", "SUBJECT"];
  const findings = checks.map(({ look }) => printFindings(look.findings));
  const answers = checks.map((check) => `${checks.length > 1 ? `${check.name}: ` : ""}${describe(check)}\n`);
  return [printTable([head, ...rows]), ...findings, ...answers].join("");
}

/** What `certhup check` found, for programs. Times are ISO 8601 in UTC. */
export function printChecksAsJson(checks: readonly TargetCheck[]): string {
  const targets = checks.map(({ name, isGood, look, endpoints }) => {
    const certificate = look.kind === "missing" ? undefined : look.certificate;
    return {
      name,
      match: isGood,
      volume: {
        state: look.kind,
        generation: look.source.generation,
        findings: look.findings,
        certificate: certificate && toObject(certificate),
      },
      endpoints: endpoints.map(({ endpoint, verdict, result }) =>
        result.kind === "served"
          ? { endpoint, verdict, protocol: result.protocol, served: toObject(result.certificate) }
          : { endpoint, verdict, reason: result.reason, detail: result.detail },
      ),
    };
  });
  return `${JSON.stringify({ match: checks.every(({ isGood }) => isGood), targets }, undefined, 2)}\n`;
}

function toRows({ name, look, endpoints }: TargetCheck, wallMs: number): readonly (readonly string[])[] {
  const certificate = look.kind === "missing" ? undefined : look.certificate;
  const volume = [name, "volume", look.kind, ...toCells(certificate, wallMs)];
  const served = endpoints.map(({ endpoint, verdict, result }) =>
    result.kind === "served"
      ? [name, endpoint, verdict, ...toCells(result.certificate, wallMs)]
      : [name, endpoint, verdict, "-", "-", "-", result.detail],
  );
  return [volume, ...served];
}

function describe({ isGood, look, endpoints }: TargetCheck): string {
  if (isGood) return "the served certificate is the one in the volume";
  if (look.kind === "missing") return "there is no certificate in the volume to compare with";
  const isOther = (verdict: string): boolean => verdict !== "match" && verdict !== "unreachable";
  if (endpoints.some(({ verdict }) => isOther(verdict))) return "the served certificate is not the one in the volume";
  if (endpoints.some(({ verdict }) => verdict === "unreachable")) return "not every endpoint shows a certificate";
  return "the certificate in the volume is served, but should not be: see the findings";
}

function toCells(certificate: CertificateFacts | undefined, wallMs: number): readonly string[] {
  if (certificate === undefined) return ["-", "-", "-", "-"];
  const { fingerprint, notAfter, subject } = certificate;
  const left = notAfter <= wallMs ? "expired" : formatDuration(notAfter - wallMs);
  return [fingerprint.slice(0, 16), formatTime(notAfter), left, subject];
}

function toObject(certificate: CertificateFacts): object {
  return {
    ...certificate,
    notBefore: formatTime(certificate.notBefore),
    notAfter: formatTime(certificate.notAfter),
  };
}
