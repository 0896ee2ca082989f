import { get } from "node:http";
import type { HealthConfig } from "../src/config/config.ts";
import { readHealthConfig } from "../src/config/read-config.ts";
import type { Invocation } from "./cli.ts";
import { type ExitStatus, exitStatus } from "./exit-status.ts";
import { print, printError, printIssues } from "./print.ts";

const longestAnswer = 64 * 1024;

/** `certhup health`: asks the agent of the same network namespace, and says what it said. */
export async function health({ sources, issues }: Invocation): Promise<ExitStatus> {
  const read = await readHealthConfig(sources);
  const wrong = [...issues, ...(read.kind === "issues" ? read.issues : [])];
  if (read.kind === "issues" || wrong.length > 0) {
    print.error(printIssues(wrong));
    return exitStatus.usage;
  }
  const url = `http://${hostOf(read.config)}:${read.config.address.port}${read.config.path}`;
  const answer = await ask(url, read.config.timeoutMs);
  if (answer.kind === "no-answer") {
    print.error(
      printError(`no answer from ${url}: ${answer.detail}`, "is certhup run on, with the same --listen-address?"),
    );
    return exitStatus.problem;
  }
  print.output(answer.body);
  return answer.status === 200 ? exitStatus.good : exitStatus.problem;
}

function hostOf({ address: { host } }: HealthConfig): string {
  if (host === undefined || host === "0.0.0.0") return "127.0.0.1";
  return host.includes(":") ? `[${host === "::" ? "::1" : host}]` : host;
}

type HealthAnswer =
  | { readonly kind: "answer"; readonly status: number; readonly body: string }
  | { readonly kind: "no-answer"; readonly detail: string };

function ask(url: string, timeoutMs: number): Promise<HealthAnswer> {
  const { promise, resolve } = Promise.withResolvers<HealthAnswer>();
  const fail = (error: NodeJS.ErrnoException): void => {
    const isLate = error.name === "AbortError" || error.name === "TimeoutError";
    resolve({ kind: "no-answer", detail: isLate ? `nothing within ${timeoutMs} ms` : (error.code ?? error.message) });
  };
  const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
    let body = "";
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      body = `${body}${text}`.slice(0, longestAnswer);
    });
    response.on("end", () => resolve({ kind: "answer", status: response.statusCode ?? 0, body }));
    response.on("error", fail);
  });
  request.on("error", fail);
  return promise;
}
