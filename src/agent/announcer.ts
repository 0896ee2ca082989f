import type { Announcement } from "../core/announcement.ts";
import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { ReloadOutcome } from "../core/reload-outcome.ts";
import type { Rotation } from "../core/state.ts";
import { escapeForeign } from "../system/escape.ts";
import type { Log } from "../system/log.ts";
import { formatTime } from "../system/time-text.ts";

/** What an announcement looks like in the log: the message is constant, what varies is in the fields. */
interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: object;
}

/** Writes an announcement of the core to the log. */
export function logAnnouncement(log: Log, announcement: Announcement): void {
  const { level, message, fields } = toLine(announcement);
  log[level]({ event: announcement.event, ...fields }, message);
}

function toLine(announcement: Announcement): LogLine {
  switch (announcement.event) {
    case "keypair-accepted":
      return line("info", "keypair accepted", toKeypair(announcement));
    case "keypair-held":
      return line("warn", "keypair held until it is valid", {
        ...toKeypair(announcement),
        until: formatTime(announcement.untilMs),
      });
    case "keypair-refused":
      return line("error", "keypair refused, the server keeps what it has", toKeypair(announcement));
    case "volume-missing":
      return line("warn", "volume has no keypair to read", { findings: announcement.findings });
    case "rotation-begun":
      return line("info", "rotation begun", { cause: announcement.cause, ...toFields(announcement.certificate) });
    case "rotation-ended":
      return describeRotation(announcement.rotation);
    case "reload-settled":
      return describeReload(announcement.outcome, announcement.strategy, announcement.attempt);
    case "reload-scheduled": {
      const { strategy, attempt, delayMs, because } = announcement;
      return line("info", "reload waits", { strategy, attempt, delayMs: Math.round(delayMs), reason: because });
    }
    case "flip-flop":
      return line(
        "warn",
        "two keypairs take turns in the volume: two writers own it",
        toFields(announcement.certificate),
      );
    case "endpoint-probed": {
      const { endpoint, verdict, result } = announcement;
      return line("debug", "endpoint probed", { endpoint, verdict, durationMs: Math.round(result.durationMs) });
    }
    case "verdict-changed":
      return describeVerdict(announcement);
    case "confirmed":
      return line("info", "certificate in the volume is served", toFields(announcement.certificate));
    case "turned-stale": {
      const { certificate, unservedForMs } = announcement;
      const fields = { ...toFields(certificate), durationMs: Math.round(unservedForMs) };
      return line("error", "certificate in the volume is not served", fields);
    }
  }
}

function describeRotation({ cause, outcome, fingerprint, reloads, durationMs }: Rotation): LogLine {
  const fields = { cause, outcome, fingerprint, reloads, durationMs: Math.round(durationMs ?? 0) };
  switch (outcome) {
    case "confirmed":
      return line("info", "rotation confirmed by handshake", fields);
    case "unverified":
      return line("warn", "rotation ended without proof, as no endpoint is probed", fields);
    case "superseded":
    case "refused":
    case undefined:
      return line("debug", "rotation ended", fields);
  }
}

function describeReload(outcome: ReloadOutcome, strategy: string, attempt: number): LogLine {
  const fields = { strategy, outcome: outcome.kind, attempt };
  switch (outcome.kind) {
    case "accepted":
      return line("info", "server told to reload", { ...fields, detail: outcome.detail });
    case "refused": {
      const { reason, detail, hint } = outcome;
      return line("error", "server could not be told to reload", { ...fields, reason, detail, hint });
    }
    case "timed-out":
      return line("warn", "reload ran out of time", { ...fields, durationMs: Math.round(outcome.afterMs) });
  }
}

function describeVerdict(announcement: Extract<Announcement, { readonly event: "verdict-changed" }>): LogLine {
  const { endpoint, certificate = undefined, verdict, previous } = announcement;
  const fields = { endpoint: endpoint.endpoint, verdict, previous };
  switch (endpoint.kind) {
    case "unprobed":
      return line("debug", "endpoint not probed yet", fields);
    case "unreachable": {
      const { reason, detail } = endpoint;
      return line("warn", "endpoint shows no certificate", { ...fields, reason, detail });
    }
    case "served": {
      const level = verdict === "match" || verdict === "valid" ? "info" : "warn";
      return line(level, "endpoint shows a certificate", { ...fields, ...(certificate && toFields(certificate)) });
    }
  }
}

function toKeypair(announcement: Extract<Announcement, { readonly source: object }>): object {
  const { source, certificate, findings } = announcement;
  const facts = certificate === undefined ? {} : toFields(certificate);
  return { generation: source.generation, ...facts, ...(findings.length === 0 ? {} : { findings }) };
}

/** A certificate of a server may name itself at any length; the whole subject is in `/status`. */
const longestSubject = 200;

function toFields({ fingerprint, notAfter, subject }: CertificateFacts): object {
  return { fingerprint, notAfter: formatTime(notAfter), subject: escapeForeign(subject, longestSubject) };
}

function line(level: LogLine["level"], message: string, fields: object): LogLine {
  return { level, message, fields };
}
