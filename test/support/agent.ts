import process from "node:process";
import { type Child, startChild } from "./child.ts";

/** The bundle that ships, as a child process. */
export interface RunningAgent extends Child {
  /** Where its HTTP listener answers. */
  readonly url: string;
  ready(): Promise<{ readonly status: number; readonly text: string }>;
  // biome-ignore lint/suspicious/noExplicitAny: a test asks what it wants of the document
  status(): Promise<any>;
  metrics(): Promise<string>;
  /** The log lines of an event, oldest first. */
  events(event: string): readonly Record<string, unknown>[];
}

export const bundle = "dist/certhup.mjs";

/** Runs a command of the bundle to its end. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | NodeJS.Signals; readonly output: string }> {
  const child = startChild(process.execPath, [bundle, ...args], environment);
  const status = await child.ended;
  return { status, output: child.output() };
}

/** Starts `certhup run` on a free port and waits until it listens. */
export async function startAgent(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningAgent> {
  const listen = args.includes("--listen-address") ? [] : ["--listen-address", "127.0.0.1:0"];
  const child = startChild(process.execPath, [bundle, "run", ...args, ...listen], environment);
  const started = await child.untilOutput(/"event":"started".*"address":"([^"]+)"|certhup started.*address=(\S+)/);
  const url = started[1] ?? started[2] ?? "";
  return {
    ...child,
    url,
    async ready() {
      const response = await fetch(`${url}/readyz`);
      return { status: response.status, text: await response.text() };
    },
    status: async () => (await fetch(`${url}/status`)).json(),
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    events: (event) => parseLines(child.output()).filter((line) => line["event"] === event),
  };
}

function parseLines(output: string): readonly Record<string, unknown>[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
