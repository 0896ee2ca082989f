import type { UnreachableReason } from "../../src/core/probe-result.ts";
import type { RefusalReason } from "../../src/core/reload-outcome.ts";

// Typed like the tables of word-tables.ts: a reason that is missing here is an error of the types.

export const unreachableMeanings: Readonly<Record<UnreachableReason, string>> = {
  "connection-refused": "nothing listens there, or the server is restarting",
  "name-not-resolved": "the host's name has no address, or no name server told it in time",
  "timed-out": "no answer within `--probe-timeout`, or `--probe-step-timeout` for one step",
  "closed-early": "the server closed the connection before it showed a certificate",
  "not-tls": "something answers that isn't TLS: perhaps the scheme is missing (`smtp://…`), or it is a plain port",
  "server-name-rejected": "the server has no certificate for the name that was asked for: see `servername`",
  "handshake-failed": "the handshake failed before a certificate was seen, for the reason given",
  "prelude-failed": "the server did not agree to STARTTLS",
  "resumed-session": "the server resumed an old session, which shows no certificate",
  "network-error": "the network failed, for the reason given",
  "client-certificate-unusable": "the files of `client-cert` and `client-key` can't be used",
  cancelled: "the agent is stopping",
};

export const refusalMeanings: Readonly<Record<RefusalReason, string>> = {
  "no-process": "no process is the server: it isn't started yet, has ended, or has another name",
  "ambiguous-process": "several processes could be the server; none is told",
  "process-namespace-not-shared": "only the agent's own processes are visible: `shareProcessNamespace` is missing",
  "pid-file-unusable": "the pid file doesn't name the server's process",
  "wrapper-only": "only a shell or a small init program matches, not the server",
  "process-changed": "the server ended, or was started anew, while it was looked at; it is looked for again",
  "not-permitted": "the agent's user may not signal the server (EPERM): give both the same `runAsUser`",
  "signal-not-handled": "the server has no handler for the signal, so that it would end",
  "signal-ignored": "the server ignores the signal, or is PID 1 without a handler for it",
  cancelled: "the agent is stopping",
  "configuration-test-failed": "the test command found the configuration wrong; the server was not told",
  "configuration-kept": "nginx was told and started no new workers: it refused its configuration, see its error log",
  "connection-refused": "nothing listens at the reload endpoint",
  "connection-failed": "the reload endpoint could not be reached, for the reason given",
  "certificate-not-trusted": "the certificate of the reload endpoint is not trusted",
  "credentials-unusable": "the file with the credentials can't be used",
  redirected: "the reload endpoint answered with a redirect, which is not followed",
  "client-error": "the reload endpoint answered 4xx: the request is wrong",
  "server-error": "the reload endpoint answered 5xx",
  "unexpected-answer": "the reload endpoint answered with a status that was not expected, or not by HTTP",
  "command-not-started": "the command isn't there, or may not be run",
  "command-failed": "the command ended with a status other than 0",
  "restart-too-soon": "the server was restarted a short time ago",
  "restart-in-progress": "the server is being restarted already",
  "subpath-mount": "a restart under a subPath mount may leave the server unable to start",
  fault: "the reload failed within the agent; please report it",
};
