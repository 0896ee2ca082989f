import type { CertificateFacts } from "../src/core/certificate-facts.ts";
import type { VolumeLook } from "../src/core/volume-look.ts";
import { toJsonText } from "../src/system/json-text.ts";
import { formatDuration, formatTime } from "../src/system/time-text.ts";
import type { TargetCheck } from "./check.ts";
import { printFindings, printTable, toCertificateObject } from "./print.ts";

/** What `certhup check` found, for people; targets without an endpoint are named, as nothing was asked of them. */
export function printChecksAsTable(
  checks: readonly TargetCheck[],
  unchecked: readonly string[],
  wallMs: number,
): string {
  const rows = checks.flatMap((check) => toRows(check, wallMs));
  const head = ["TARGET", "WHERE", "VERDICT", "FINGERPRINT", "UNTIL", "LEFT", "SUBJECT"];
  const findings = checks.map(({ look }) => printFindings(look?.findings ?? []));
  const answers = checks.map((check) => `${checks.length > 1 ? `${check.name}: ` : ""}${describe(check)}\n`);
  const others = unchecked.map((name) => `${name}: not checked, as it has no endpoint\n`);
  return [printTable([head, ...rows]), ...findings, ...answers, ...others].join("");
}

/** What `certhup check` found, for programs. Times are ISO 8601 in UTC. */
export function printChecksAsJson(
  checks: readonly TargetCheck[],
  unchecked: readonly string[],
  wallMs: number,
): string {
  const toObject = (certificate: CertificateFacts): object => toCertificateObject(certificate, wallMs);
  const targets = checks.map(({ name, isGood, look, endpoints }) => ({
    name,
    match: isGood,
    volume: look && toVolume(look, toObject),
    endpoints: endpoints.map(({ endpoint, verdict, result }) =>
      result.kind === "served"
        ? {
            endpoint,
            verdict,
            protocol: result.protocol,
            served: toObject(result.certificate),
            alsoServed: result.alsoServed?.map(toObject),
          }
        : { endpoint, verdict, reason: result.reason, detail: result.detail },
    ),
  }));
  const isGood = checks.every((check) => check.isGood);
  return toJsonText({ match: isGood, targets, unchecked });
}

function toRows({ name, look, endpoints }: TargetCheck, wallMs: number): readonly (readonly string[])[] {
  const volume = look && [name, "volume", look.kind, ...toCells(certificateOf(look), wallMs)];
  const served = endpoints.flatMap(({ endpoint, verdict, result }) => {
    if (result.kind === "unreachable") return [[name, endpoint, verdict, "-", "-", "-", result.detail]];
    const others = (result.alsoServed ?? []).map((other) => [name, endpoint, "beside it", ...toCells(other, wallMs)]);
    return [[name, endpoint, verdict, ...toCells(result.certificate, wallMs)], ...others];
  });
  return volume === undefined ? served : [volume, ...served];
}

function toVolume(look: VolumeLook, toObject: (certificate: CertificateFacts) => object): object {
  const certificate = certificateOf(look);
  const { source, findings } = look;
  return {
    state: look.kind,
    generation: source.generation,
    findings,
    certificate: certificate && toObject(certificate),
  };
}

function certificateOf(look: VolumeLook): CertificateFacts | undefined {
  return look.kind === "missing" ? undefined : look.certificate;
}

function describe({ isGood, look, endpoints }: TargetCheck): string {
  if (look === undefined) return describeWatched(endpoints);
  if (isGood) return "the served certificate is the one in the volume";
  if (look.kind === "missing") return "there is no certificate in the volume to compare with";
  const isOther = (verdict: string): boolean => verdict !== "match" && verdict !== "unreachable";
  if (endpoints.some(({ verdict }) => isOther(verdict))) return "the served certificate is not the one in the volume";
  if (endpoints.some(({ verdict }) => verdict === "unreachable")) return "not every endpoint shows a certificate";
  return "the certificate in the volume is served, but should not be: see the findings";
}

function describeWatched(endpoints: TargetCheck["endpoints"]): string {
  if (endpoints.some(({ verdict }) => verdict === "expired")) return "a served certificate has ended";
  if (endpoints.some(({ verdict }) => verdict === "unreachable")) return "not every endpoint shows a certificate";
  return "what is served is valid; there is no volume to compare it with";
}

function toCells(certificate: CertificateFacts | undefined, wallMs: number): readonly string[] {
  if (certificate === undefined) return ["-", "-", "-", "-"];
  const { fingerprint, notAfter, subject } = certificate;
  const left = notAfter <= wallMs ? "expired" : formatDuration(notAfter - wallMs);
  return [fingerprint.slice(0, 16), formatTime(notAfter), left, subject];
}
