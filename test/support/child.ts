import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";

/** A real child process whose output can be waited for. */
export interface Child {
  readonly pid: number;
  /** Everything that it wrote so far, standard output and error in one. */
  output(): string;
  standardOutput(): string;
  standardError(): string;
  /** Waits for output that matches, and returns the match; fails at once if the process ends without it. */
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
  const written = { all: "", output: "", error: "" };
  for (const name of ["output", "error"] as const) {
    child[name === "output" ? "stdout" : "stderr"].setEncoding("utf8").on("data", (text: string) => {
      written.all += text;
      written[name] += text;
    });
  }
  const ended = untilEnded(child);
  // Who waits for the end is told of a program that could not be started; nobody else has to be.
  ended.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    output: () => written.all,
    standardOutput: () => written.output,
    standardError: () => written.error,
    ended,
    kill: (signal) => void child.kill(signal),
    untilOutput: (pattern, timeoutMs = 10_000) => untilMatch(child, () => written.all, ended, pattern, timeoutMs),
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

async function untilMatch(
  child: ChildProcess,
  read: () => string,
  ended: Promise<number | NodeJS.Signals>,
  pattern: RegExp,
  timeoutMs: number,
): Promise<RegExpMatchArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpMatchArray>();
  const look = (): boolean => {
    const match = read().match(pattern);
    if (match !== null) resolve(match);
    return match !== null;
  };
  const fail = (why: string): void => reject(new Error(`${why} without ${pattern}; it wrote:\n${read()}`));
  const timer = setTimeout(() => fail(`process ${child.pid} went on for ${timeoutMs} ms`), timeoutMs);
  ended.then(
    (status) => void (look() || fail(`process ${child.pid} ended with ${status}`)),
    (error: unknown) => reject(error),
  );
  child.stdout?.on("data", look);
  child.stderr?.on("data", look);
  look();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.stdout?.off("data", look);
    child.stderr?.off("data", look);
  }
}

function untilEnded(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const { promise, resolve, reject } = Promise.withResolvers<number | NodeJS.Signals>();
  child.once("error", reject);
  child.once("close", (code, signal) => resolve(code ?? signal ?? 0));
  return promise;
}
