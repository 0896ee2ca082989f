import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { until } from "./until.ts";

/** One line that `secret-volume-watcher.ts` said. */
export type WatcherLine =
  | { readonly type: "mode"; readonly mode: "events" | "poll"; readonly detail: string }
  | { readonly type: "looked"; readonly cause: "event" | "poll" }
  | {
      readonly type: "content";
      readonly cause: "event" | "poll";
      readonly isMissed: boolean;
      readonly certificate?: string;
      readonly findings?: readonly { readonly code: string; readonly message: string }[];
    }
  | { readonly type: "end"; readonly looks: number; readonly cpuMs: number };

/** A watcher that runs as a process of its own, in whatever namespaces its command line puts it. */
export interface WatcherProcess {
  readonly pid: number;
  readonly lines: readonly WatcherLine[];
  /** The first line, from the one at `from` on, that satisfies the predicate. */
  line(predicate: (line: WatcherLine) => boolean, from?: number): Promise<WatcherLine>;
  /** The first look that found this certificate. */
  certificate(text: string): Promise<WatcherLine>;
  /** Once events are on and the look that they begin with is over, so that what comes next has its own cause. */
  atRest(): Promise<void>;
  send(line: string): void;
  end(): Promise<void>;
  kill(): void;
}

const program = fileURLToPath(new URL("./secret-volume-watcher.ts", import.meta.url));

/**
 * Starts the watcher behind a prefix such as `unshare -U -r`. What the process writes to its standard error is part of
 * the failure when a wait ends without its line: a kernel without the feature is told there.
 */
export function startWatcher(
  directory: string,
  { pollMs = 300, prefix = [] }: { readonly pollMs?: number; readonly prefix?: readonly string[] } = {},
): WatcherProcess {
  const [command = "", ...args] = [...prefix, process.execPath, program, directory, String(pollMs)];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  const lines: WatcherLine[] = [];
  const complaints: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(JSON.parse(line)));
  createInterface(child.stderr).on("line", (line) => complaints.push(line));
  // Its end is seen by whoever waits for a line.
  child.stdin.on("error", (error) => complaints.push(error.message));
  child.on("error", (error) => complaints.push(error.message));

  const line = async (predicate: (line: WatcherLine) => boolean, from = 0): Promise<WatcherLine> => {
    const seen = await until(
      () => ({ lines, complaints, exitCode: child.exitCode }),
      ({ exitCode }) => lines.slice(from).some(predicate) || exitCode !== null,
      { what: `a line of the watcher: ${predicate}` },
    );
    const found = lines.slice(from).find(predicate);
    if (found === undefined) throw new Error(`${prefix.join(" ")} ended: ${JSON.stringify(seen)}`);
    return found;
  };
  return {
    pid: child.pid ?? 0,
    lines,
    line,
    certificate: (text) => line((said) => said.type === "content" && said.certificate === text),
    async atRest() {
      await line((said) => said.type === "mode" && said.mode === "events");
      const polls = () => lines.filter((said) => said.type === "looked" && said.cause === "poll").length;
      const before = polls();
      await until(polls, (count) => count >= before + 3, { what: "three looks of the poll" });
    },
    send: (text) => void child.stdin.write(`${text}\n`),
    async end() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "close");
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
