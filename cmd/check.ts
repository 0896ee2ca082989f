import { createLooker } from "../src/agent/looker.ts";
import type { CheckConfig } from "../src/config/config.ts";
import { readCheckConfig } from "../src/config/read-config.ts";
import type { CertificateFacts } from "../src/core/certificate-facts.ts";
import type { ProbeResult } from "../src/core/probe-result.ts";
import type { Verdict } from "../src/core/state.ts";
import { judgeServed } from "../src/core/verdict.ts";
import type { VolumeLook } from "../src/core/volume-look.ts";
import { probeEndpoint } from "../src/probe/probe-endpoint.ts";
import { firstServerName } from "../src/probe/server-name.ts";
import { systemClock } from "../src/system/clock.ts";
import { formatDuration, formatTime } from "../src/system/time-text.ts";
import type { Invocation } from "./cli.ts";
import { type ExitStatus, exitStatus } from "./exit-status.ts";
import { print, printIssues, printTable } from "./print.ts";

/** What one endpoint serves, compared with the volume. */
interface Checked {
  readonly endpoint: string;
  readonly verdict: Verdict;
  readonly result: ProbeResult;
}

/** `certhup check`: is the served certificate the one in the volume? One look, one handshake with each endpoint. */
export async function check({ flags, issues, environment }: Invocation): Promise<ExitStatus> {
  const read = readCheckConfig(flags, environment);
  const wrong = [...issues, ...(read.kind === "issues" ? read.issues : [])];
  if (read.kind === "issues" || wrong.length > 0) {
    print.error(printIssues(wrong));
    return exitStatus.usage;
  }
  const { config } = read;
  const look = await createLooker(config.volume, config.keypair, systemClock)(undefined);
  const inVolume = look.kind === "missing" ? undefined : look.certificate;
  const checked = await probeAll(config, inVolume);
  const isGood = look.kind === "accepted" && checked.every(({ verdict }) => verdict === "match");
  print.output(config.output === "json" ? toJson(isGood, look, checked) : toText(isGood, look, checked));
  return isGood ? exitStatus.good : exitStatus.problem;
}

function probeAll(config: CheckConfig, inVolume: CertificateFacts | undefined): Promise<readonly Checked[]> {
  const options = {
    timeoutMs: config.probeTimeoutMs,
    clock: systemClock,
    signal: new AbortController().signal,
    defaultServerName: firstServerName(inVolume?.names ?? []),
  };
  const probe = async (endpoint: CheckConfig["endpoints"][number]): Promise<Checked> => {
    const result = await probeEndpoint(endpoint, options);
    const { wallMs } = systemClock.now();
    const verdict = result.kind === "served" ? judgeServed(result.certificate, inVolume, [], wallMs) : "unreachable";
    return { endpoint: endpoint.label, verdict, result };
  };
  return Promise.all(config.endpoints.map(probe));
}

function toText(isGood: boolean, look: VolumeLook, checked: readonly Checked[]): string {
  const { wallMs } = systemClock.now();
  const head = ["WHERE", "VERDICT", "FINGERPRINT", "UNTIL", "LEFT", "SUBJECT"];
  const volume =
    look.kind === "missing" || look.certificate === undefined
      ? ["volume", look.kind, "-", "-", "-", "-"]
      : ["volume", look.kind, ...toCells(look.certificate, wallMs)];
  const rows = checked.map(({ endpoint, verdict, result }) =>
    result.kind === "served"
      ? [endpoint, verdict, ...toCells(result.certificate, wallMs)]
      : [endpoint, verdict, "-", "-", "-", result.detail],
  );
  const findings = look.findings.map(({ severity, message, hint }) => {
    const advice = hint === undefined ? "" : `\n  ${hint}`;
    return `${severity}: ${message}${advice}\n`;
  });
  const answer = isGood ? "the served certificate is the one in the volume" : describeProblem(look, checked);
  return `${printTable([head, volume, ...rows])}${findings.join("")}${answer}\n`;
}

function describeProblem(look: VolumeLook, checked: readonly Checked[]): string {
  if (look.kind === "missing") return "there is no certificate in the volume to compare with";
  if (checked.some(({ verdict }) => verdict !== "match")) return "the served certificate is not the one in the volume";
  return "the certificate in the volume is served, but should not be: see the findings";
}

function toCells({ fingerprint, notAfter, subject }: CertificateFacts, wallMs: number): readonly string[] {
  const left = notAfter <= wallMs ? "expired" : formatDuration(notAfter - wallMs);
  return [fingerprint.slice(0, 16), formatTime(notAfter), left, subject];
}

function toJson(isGood: boolean, look: VolumeLook, checked: readonly Checked[]): string {
  const volume = { state: look.kind, generation: look.source.generation, findings: look.findings };
  const certificate = look.kind === "missing" ? undefined : look.certificate;
  const endpoints = checked.map(({ endpoint, verdict, result }) =>
    result.kind === "served"
      ? { endpoint, verdict, protocol: result.protocol, served: toObject(result.certificate) }
      : { endpoint, verdict, reason: result.reason, detail: result.detail },
  );
  const document = {
    match: isGood,
    volume: { ...volume, certificate: certificate && toObject(certificate) },
    endpoints,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function toObject(certificate: CertificateFacts): object {
  return {
    ...certificate,
    notBefore: formatTime(certificate.notBefore),
    notAfter: formatTime(certificate.notAfter),
  };
}
