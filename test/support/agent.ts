import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Child, startChild } from "./child.ts";

/** The bundle that ships, as a child process. */
export interface RunningAgent extends Child {
  /** Where its HTTP listener answers. */
  readonly url: string;
  ready(): Promise<{ readonly status: number; readonly text: string }>;
  // biome-ignore lint/suspicious/noExplicitAny: a test asks what it wants of the document
  status(): Promise<any>;
  metrics(): Promise<string>;
  /** The log lines of an event, oldest first; every line where no event is named. */
  events(event?: string): readonly LogLine[];
}

/** A line of the agent's log in JSON. */
export type LogLine = Readonly<Record<string, unknown>>;

/** How a command of the bundle ended. */
export interface CommandResult {
  readonly status: number | NodeJS.Signals;
  /** Standard output and error in one. */
  readonly output: string;
  readonly standardOutput: string;
  readonly standardError: string;
}

/** The file that ships. */
export const bundle: string = fileURLToPath(new URL("../../dist/certhup.mjs", import.meta.url));

/** What the bundle's first line and the image's entry point hand to Node. */
const shippedFlags = ["--max-semi-space-size=1", "--no-concurrent-recompilation"];

/** Runs a command of the bundle to its end. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  node: string = process.execPath,
): Promise<CommandResult> {
  return waitForEnd(startBundle(args, environment, node));
}

/** Waits until a command has ended by itself. */
export async function waitForEnd(child: Child): Promise<CommandResult> {
  return {
    status: await child.ended,
    output: child.output(),
    standardOutput: child.standardOutput(),
    standardError: child.standardError(),
  };
}

/**
 * Starts `certhup run` on a free port, unless told otherwise, and waits until it listens.
 *
 * @param prefix a command that becomes the agent, such as `setpriv --reuid=10001`
 */
export async function startAgent(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  prefix: readonly string[] = [],
): Promise<RunningAgent> {
  const isTold = args.includes("--listen-address") || "CERTHUP_LISTEN_ADDRESS" in environment;
  const listen = isTold ? [] : ["--listen-address", "127.0.0.1:0"];
  const child = startBundle(["run", ...args, ...listen], environment, process.execPath, prefix);
  const [, json, text] = await child.untilOutput(
    /"event":"started".*"address":"([^"]+)"|certhup started.*address=(\S+)/,
  );
  const url = json ?? text ?? "";
  return {
    ...child,
    url,
    async ready() {
      const response = await fetch(`${url}/readyz`);
      return { status: response.status, text: await response.text() };
    },
    status: async () => (await fetch(`${url}/status`)).json(),
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    events: (event) => parseLines(child.output()).filter((line) => event === undefined || line["event"] === event),
  };
}

/** Starts the bundle without waiting for anything. */
export function startBundle(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  node: string = process.execPath,
  prefix: readonly string[] = [],
): Child {
  if (!existsSync(bundle)) throw new Error("dist/certhup.mjs is not there: build it with `npm run build`");
  const [command = node, ...rest] = [...prefix, node, ...shippedFlags, bundle, ...args];
  return startChild(command, rest, environment);
}

function parseLines(output: string): readonly LogLine[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as LogLine);
}
