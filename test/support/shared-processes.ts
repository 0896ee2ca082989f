import { spawn } from "node:child_process";
import process from "node:process";
import { onTestFailed, onTestFinished } from "vitest";
import { until } from "./until.ts";

/** Processes that see each other and nobody else, as those of a pod with `shareProcessNamespace` do. */
export interface SharedProcesses {
  /** Starts a program beside the others. */
  run(command: readonly string[]): void;
  /** Everything that all of them wrote. */
  output(): string;
  /** Waits for a line that matches, and returns the match. */
  untilOutput(pattern: RegExp): Promise<RegExpMatchArray>;
}

/**
 * Makes an own PID namespace in which every program runs as `user`, without capabilities. It takes user namespaces
 * (`kernel.unprivileged_userns_clone`) unless the tests run as root. It ends with the test that started it; when that
 * test fails, what was written is printed.
 */
export function startSharedProcesses(user: number): SharedProcesses {
  const identity = ["--user", `--map-user=${user}`, `--map-group=${user}`];
  const namespace = ["--pid", "--fork", "--mount-proc", "--kill-child"];
  // The shell takes the place of the pod's pause container: it starts what it is told and collects what has ended.
  const holder = spawn("unshare", [...identity, ...namespace, "sh", "-s"], {
    stdio: ["pipe", "pipe", "pipe"],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CERTHUP_"))),
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let output = "";
  holder.once("error", (error) => {
    output += `unshare can't be run: ${error.message}\n`;
    resolve();
  });
  holder.once("close", () => resolve());
  for (const stream of [holder.stdout, holder.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  onTestFailed(() => void process.stderr.write(`${output}\n`));
  onTestFinished(async () => {
    holder.kill("SIGKILL");
    await ended;
  });
  return {
    run: (command) => void holder.stdin.write(`${command.map(quote).join(" ")} &\n`),
    output: () => output,
    async untilOutput(pattern) {
      const match = await until(
        () => output.match(pattern),
        (found) => found !== null,
        { what: `${pattern} in the output` },
      );
      if (match === null) throw new Error(`${pattern} was seen and is gone`);
      return match;
    },
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
