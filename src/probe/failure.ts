import type { UnreachableReason } from "../core/probe-result.ts";
import { escapeForeign } from "../system/escape.ts";

/** How far a probe had come. */
export type ProbeStep = "resolve" | "connect" | "prelude" | "handshake";

/** Why a probe saw no certificate, in a code and in words. */
export interface Failure {
  readonly reason: UnreachableReason;
  readonly detail: string;
  /** The server found nothing in the ClientHello that it could agree to. */
  readonly isOfferRefused?: boolean;
}

/** Where a probe stood when something went wrong, for the words. */
export interface Circumstances {
  readonly step: ProbeStep;
  /** `127.0.0.1:8443`, or the path of the Unix socket. */
  readonly place: string;
  /** `smtp` and so on; `tls` for an endpoint without a prelude. */
  readonly scheme: string;
  /** The name sent as SNI. */
  readonly serverName: string | undefined;
  readonly sentProxyHeader: boolean;
  /** Bytes that the server sent in this step. */
  readonly bytesInStep: number;
  /** The message of the prelude that is awaited. */
  readonly waitingFor: string;
}

const absentCodes = new Set(["ECONNREFUSED", "ENOENT"]);
const closedCodes = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"]);
const unresolvedCodes = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"]);
/** OpenSSL's ways to say that what came is no TLS record. */
const notTlsPattern = /wrong version number|packet length too long|http request|https proxy request|unknown protocol/;

/** Turns the error of a socket or of OpenSSL into words for an operator. */
export function explainError(error: unknown, at: Circumstances): Failure {
  const code = readText(error, "code");
  if (absentCodes.has(code)) {
    return { reason: "connection-refused", detail: `nothing listens on ${at.place} (${code})` };
  }
  if (unresolvedCodes.has(code)) {
    return { reason: "name-not-resolved", detail: `the name in ${at.place} can't be resolved (${code})` };
  }
  if (closedCodes.has(code)) {
    return explainClose(at);
  }
  if (at.step === "handshake" && code.startsWith("ERR_SSL_")) {
    return explainOpenSsl(readText(error, "reason"), readAlert(error), at);
  }
  const said = code === "" ? readText(error, "message") : code;
  return { reason: "network-error", detail: `${at.step} on ${at.place} failed: ${escapeForeign(said, 120)}` };
}

/** The server ended the connection. */
export function explainClose(at: Circumstances): Failure {
  if (at.step !== "handshake") {
    const during = at.step !== "prelude" ? "before anything was said" : `instead of sending its ${at.waitingFor}`;
    return { reason: "closed-early", detail: `${at.place} closed the connection ${during}` };
  }
  if (at.bytesInStep > 0) {
    return { reason: "closed-early", detail: `${at.place} closed the connection in the middle of the handshake` };
  }
  const guess = at.sentProxyHeader
    ? "does it really expect the PROXY header?"
    : "does it expect the PROXY protocol (proxy=v1), or plain text?";
  return { reason: "closed-early", detail: `${at.place} closed the connection before ServerHello: ${guess}` };
}

/** The time limit of the whole probe, or of the step, passed. */
export function explainTimeout(timeoutMs: number, at: Circumstances): Failure {
  const reason = at.step === "resolve" ? "name-not-resolved" : "timed-out";
  return { reason, detail: `${describeSilence(at)} within ${timeoutMs} ms` };
}

/** The certificates a server must have seen, or missed, to send these alerts (RFC 8446 section 6.2). */
const clientCertificateAlerts = new Set([40, 41, 42, 43, 44, 45, 46, 48, 49, 116]);

/** handshake_failure and insufficient_security (RFC 8446 section 6.2). */
const offerAlerts = new Set([40, 71]);

/**
 * Whether the error is the server's verdict on the client's certificate, or on its absence: then its own certificate,
 * if one was seen, is what it serves. A server may also just close the connection.
 */
export function isAboutClientCertificate(error: unknown): boolean {
  const alert = readAlert(error);
  return alert === undefined ? closedCodes.has(readText(error, "code")) : clientCertificateAlerts.has(alert);
}

function describeSilence(at: Circumstances): string {
  switch (at.step) {
    case "resolve":
      return `no name server told the address of ${at.place}`;
    case "connect":
      return `${at.place} did not take the connection`;
    case "prelude":
      return at.bytesInStep === 0
        ? `${at.place} took the connection and sent no ${at.waitingFor} (does it begin with TLS at once? use tls://)`
        : `${at.place} did not finish its ${at.waitingFor}`;
    case "handshake":
      return at.bytesInStep === 0
        ? `${at.place} took the connection and stayed silent: no ServerHello`
        : `${at.place} did not finish the handshake`;
  }
}

function explainOpenSsl(reason: string, alert: number | undefined, at: Circumstances): Failure {
  if (alert === undefined) {
    return notTlsPattern.test(reason)
      ? { reason: "not-tls", detail: `not TLS on this port: ${at.place} answered with something else${hintScheme(at)}` }
      : { reason: "handshake-failed", detail: `the handshake with ${at.place} failed: ${describeLocal(reason)}` };
  }
  if (alert === 112) {
    const name = at.serverName === undefined ? "a handshake without SNI" : `the SNI ${at.serverName}`;
    return {
      reason: "server-name-rejected",
      detail: `${at.place} rejects ${name} (alert unrecognized_name): give a name it knows with servername=`,
    };
  }
  return {
    reason: "handshake-failed",
    detail: `${at.place} broke off the handshake: ${describeAlert(alert, reason, at)}`,
    isOfferRefused: offerAlerts.has(alert),
  };
}

function hintScheme(at: Circumstances): string {
  return at.scheme === "tls"
    ? " (a plain-text port, or one that needs STARTTLS: smtp://, imap://, postgres:// ...)"
    : "";
}

function describeAlert(alert: number, reason: string, at: Circumstances): string {
  if (alert === 40) {
    const sni = at.serverName === undefined ? "; it may need SNI (servername=)" : "";
    return `no shared cipher or signature algorithm, or no usable certificate (alert handshake_failure${sni})`;
  }
  if (alert === 70) {
    return "no TLS version in common (alert protocol_version)";
  }
  if (alert === 80) {
    return "it has a fault of its own, look at its error log (alert internal_error)";
  }
  return `${escapeForeign(reason, 120)} (alert ${alert})`;
}

function describeLocal(reason: string): string {
  if (reason === "excessive message size") {
    return "its certificates are larger than a handshake may carry (excessive message size)";
  }
  if (/bad signature|signature/.test(reason)) {
    return `its signature does not belong to its certificate (${escapeForeign(reason, 120)})`;
  }
  return escapeForeign(reason, 120);
}

/** OpenSSL names a received alert at the end of the message alone. */
function readAlert(error: unknown): number | undefined {
  const match = /SSL alert number (\d{1,3})\b/.exec(readText(error, "message"));
  return match === null ? undefined : Number(match[1]);
}

function readText(error: unknown, key: "code" | "reason" | "message"): string {
  const value: unknown = typeof error === "object" && error !== null && key in error ? Reflect.get(error, key) : "";
  return typeof value === "string" ? value : "";
}
