import { isIP } from "node:net";
import type { Finding } from "../core/finding.ts";
import type { ReloadOutcome } from "../core/reload-outcome.ts";
import { explainReadFailure, readBounded } from "../system/read-bounded.ts";
import { reloadFinding } from "./finding-codes.ts";
import { explainFailure, judgeAnswer } from "./http-answer.ts";
import type { ConnectorOptions } from "./http-connector.ts";
import { readAuthorization } from "./http-credentials.ts";
import type { HttpStrategyOptions } from "./http-options.ts";
import { type HttpAnswer, sendRequest } from "./http-request.ts";
import type { ReloadStrategy } from "./reload-strategy.ts";
import { cancelled, type Refusal, toFinding } from "./server-process.ts";

/** What is read from files for each request. */
interface Secrets {
  readonly authorization: string | undefined;
  readonly ca: string | undefined;
}

/** Tells the server by an HTTP request. Accepted means that it answered with an expected status in time. */
export function createHttpStrategy(options: HttpStrategyOptions): ReloadStrategy {
  const { url, method, clock, timeoutMs } = options;
  return {
    name: "http",
    async prepare(): Promise<readonly Finding[]> {
      const secrets = await readSecrets(options);
      const findings: Finding[] = [];
      if ("kind" in secrets) findings.push(toFinding(secrets));
      if (sendsInClear(options)) {
        const message = `credentials would go to ${url.origin} unencrypted`;
        findings.push(
          reloadFinding("credentials-in-clear", message, "use https, a unix socket or the loopback address"),
        );
      }
      return findings;
    },
    async reload(abort): Promise<ReloadOutcome> {
      if (abort.aborted) return cancelled();
      const what = `${method} ${url.origin}${url.pathname}`;
      const startMs = clock.now().monotonicMs;
      const timeUp = new AbortController();
      const cancel = clock.after(timeoutMs, () => timeUp.abort());
      const ended = AbortSignal.any([abort, timeUp.signal]);
      try {
        const secrets = await Promise.race([readSecrets(options), whenAborted(ended)]);
        if (secrets === "aborted") return timeUp.signal.aborted ? unreadInTime(options) : cancelled();
        if ("kind" in secrets) return secrets;
        const answer = await exchange(options, secrets, ended);
        return judgeAnswer(what, answer, options.expectedStatuses);
      } catch (error) {
        if (timeUp.signal.aborted) return { kind: "timed-out", afterMs: timeoutMs };
        // The request may have arrived: the server was perhaps told.
        if (abort.aborted) return { kind: "timed-out", afterMs: clock.now().monotonicMs - startMs };
        return explainFailure(what, error, options.unixSocket);
      } finally {
        cancel();
      }
    },
  };
}

async function exchange(options: HttpStrategyOptions, secrets: Secrets, abort: AbortSignal): Promise<HttpAnswer> {
  const { method, body, maxRedirects } = options;
  const connector: ConnectorOptions = {
    unixSocket: options.unixSocket,
    ca: secrets.ca,
    serverName: options.serverName,
    trustedFingerprints: options.trustedFingerprints ?? (() => []),
  };
  const headers = withAuthorization(options.headers, secrets.authorization);
  let { url } = options;
  for (let followed = 0; ; followed++) {
    const answer = await sendRequest({ url, method, headers, body, connector }, abort);
    const next = followed < maxRedirects ? nextUrl(answer, url) : undefined;
    if (next === undefined) return answer;
    url = next;
  }
}

/**
 * Where an answer sends on to, if that is the same server: another one is never told, and never sees the credentials.
 * 303 asks for a GET, which reloads nothing, and is not followed.
 */
function nextUrl(answer: HttpAnswer, from: URL): URL | undefined {
  if (![301, 302, 307, 308].includes(answer.status) || answer.location === undefined) return undefined;
  const next = URL.parse(answer.location, from.href);
  return next?.origin === from.origin ? next : undefined;
}

function withAuthorization(
  headers: HttpStrategyOptions["headers"],
  authorization: string | undefined,
): HttpStrategyOptions["headers"] {
  return authorization === undefined ? headers : [...headers, ["authorization", authorization]];
}

/** A CA file is at most as large as a Secret can be (Kubernetes documentation, "Secrets"). */
const largestCaFile = 1024 * 1024;

async function readSecrets(options: HttpStrategyOptions): Promise<Secrets | Refusal> {
  const { credentials, caFile } = options;
  const authorization = credentials === undefined ? undefined : await readAuthorization(credentials);
  if (authorization?.kind === "refused") return authorization;
  if (caFile === undefined) return { authorization: authorization?.value, ca: undefined };
  const read = await readBounded(caFile, largestCaFile);
  if (read.kind === "content") return { authorization: authorization?.value, ca: read.bytes.toString("utf8") };
  return {
    kind: "refused",
    reason: "certificate-not-trusted",
    detail: `CA file ${caFile} ${explainReadFailure(read.failure)}`,
    hint: "give a PEM file that the agent's user may read",
  };
}

function unreadInTime({ credentials, timeoutMs }: HttpStrategyOptions): Refusal {
  const [reason, what] =
    credentials === undefined
      ? (["certificate-not-trusted", "the CA file"] as const)
      : (["credentials-unusable", "the files of the credentials and the CA"] as const);
  const detail = `${what} could not be read within ${timeoutMs} ms`;
  return { kind: "refused", reason, detail, hint: "does the file system that they lie on answer?" };
}

function whenAborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}

function sendsInClear({ url, credentials, unixSocket }: HttpStrategyOptions): boolean {
  if (credentials === undefined || unixSocket !== undefined || url.protocol === "https:") return false;
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(hostname) === 4) return !hostname.startsWith("127.");
  return hostname !== "::1" && hostname !== "localhost";
}
