import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { until } from "./until.ts";

/** A real child process whose output can be waited for. */
export interface Child {
  readonly pid: number;
  /** Everything that it wrote so far, standard output and error in one. */
  output(): string;
  /** Waits for a line that matches, and returns the match. */
  untilOutput(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>;
  /** Settles when it has ended, with its exit status or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
  /** Ends it, the hard way if need be, and waits for that. */
  stop(): Promise<number | NodeJS.Signals>;
}

const patienceMs = 5_000;

/** Starts a program; the environment is that of the caller without any setting of certhup, plus `environment`. */
export function startChild(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Child {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("CERTHUP_"));
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...Object.fromEntries(inherited), ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = untilEnded(child);
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    kill: (signal) => void child.kill(signal),
    async untilOutput(pattern, timeoutMs = 10_000) {
      const read = (): RegExpMatchArray | null => output.match(pattern);
      const isThere = (match: RegExpMatchArray | null): boolean => match !== null;
      const match = await until(read, isThere, { timeoutMs, what: `${pattern} in:\n${output}` });
      if (match === null) throw new Error(`${pattern} was seen and is gone`);
      return match;
    },
    async stop() {
      child.kill("SIGTERM");
      const killer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
      try {
        return await ended;
      } finally {
        clearTimeout(killer);
      }
    },
  };
}

function untilEnded(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const { promise, resolve, reject } = Promise.withResolvers<number | NodeJS.Signals>();
  child.once("error", reject);
  child.once("close", (code, signal) => resolve(code ?? signal ?? 0));
  return promise;
}
