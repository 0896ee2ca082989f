import type { RefusalReason, ReloadOutcome } from "../core/reload-outcome.ts";
import { escapeForeign } from "../system/escape.ts";
import { quoteStart } from "./command-output.ts";
import { UntrustedCertificateError } from "./http-connector.ts";
import type { StatusRange } from "./http-options.ts";
import type { HttpAnswer } from "./http-request.ts";
import type { Refusal } from "./server-process.ts";

/** What an answer says of the reload. `what` names the request: `POST http://127.0.0.1:9090/-/reload`. */
export function judgeAnswer(what: string, answer: HttpAnswer, expected: readonly StatusRange[]): ReloadOutcome {
  const { status, location, body } = answer;
  const said = quoteStart(body);
  const answered = `${what} answered ${status}`;
  if (expected.some(({ from, to }) => status >= from && status <= to)) return { kind: "accepted", detail: answered };
  if (status >= 300 && status < 400 && location !== undefined) {
    return {
      kind: "refused",
      reason: "redirected",
      detail: `${answered} and sends on to ${escapeForeign(location, 200)}`,
      hint: "give the address that it sends on to, or allow redirects",
    };
  }
  const { reason, hint } = classify(status);
  return { kind: "refused", reason, detail: said === "" ? answered : `${answered}: ${said}`, hint };
}

function classify(status: number): { readonly reason: RefusalReason; readonly hint: string } {
  if (status === 401 || status === 403) {
    return {
      reason: "client-error",
      hint: "give credentials that may reload, and see whether the endpoint is switched on",
    };
  }
  if (status === 404) return { reason: "client-error", hint: "is the path right, and is the endpoint switched on?" };
  if (status === 405) return { reason: "client-error", hint: "the endpoint wants another method" };
  if (status >= 400 && status < 500)
    return { reason: "client-error", hint: "correct the request: the server won't take it" };
  if (status >= 500) return { reason: "server-error", hint: "look at the server's log: it could not reload" };
  return { reason: "unexpected-answer", hint: "allow this status if it means that the reload was accepted" };
}

/** Why a request had no answer. */
export function explainFailure(what: string, error: unknown, unixSocket: string | undefined): Refusal {
  if (error instanceof UntrustedCertificateError) {
    return {
      kind: "refused",
      reason: "certificate-not-trusted",
      detail: `${what} shows a certificate that is not trusted: ${escapeForeign(error.message, 200)}`,
      hint: "give the CA file of the reload endpoint (--reload-ca-file), and the name that its certificate covers (--reload-server-name)",
    };
  }
  const code = codeOf(error);
  const where = unixSocket === undefined ? what : `${what} on ${unixSocket}`;
  if (code === "ECONNREFUSED" || (code === "ENOENT" && unixSocket !== undefined)) {
    return {
      kind: "refused",
      reason: "connection-refused",
      detail: code === "ENOENT" ? `${where}: the socket isn't there` : `${where}: nobody listens there`,
      hint: "the server is starting, or listens elsewhere",
    };
  }
  if (error instanceof Error && error.name === "HTTPParserError") {
    return {
      kind: "refused",
      reason: "unexpected-answer",
      detail: `${where}: the answer is not HTTP: ${escapeForeign(error.message, 200)}`,
      hint: "is this the port of the reload endpoint, and is it http rather than https?",
    };
  }
  return {
    kind: "refused",
    reason: "connection-failed",
    detail: `${where}: ${describeFailure(code, error)}`,
    hint: connectionHints[code ?? ""] ?? "look at the server's log; whether it reloaded is seen by the probe",
  };
}

const connectionHints: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name doesn't resolve in the agent's container: write the address",
  EAI_AGAIN: "the resolver doesn't answer: write the address",
  EACCES: "let the agent's user write to the socket",
  EPERM: "let the agent's user write to the socket",
  ERR_SSL_WRONG_VERSION_NUMBER: "this port doesn't speak TLS: write http://",
};

function describeFailure(code: string | undefined, error: unknown): string {
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET") return "the connection was closed before the answer";
  return code ?? escapeForeign(error instanceof Error ? error.message : String(error), 200);
}

/** The code of the error, or of the last of several attempts (RFC 8305 tries IPv4 and IPv6). */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors.at(-1));
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}
