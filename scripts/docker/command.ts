import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Takes one line of progress. */
export type Log = (line: string) => void;

/** How a command is run. */
export interface CommandOptions {
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to the command's standard input. */
  readonly input?: Readable;
  /** Ends the command with SIGKILL. */
  readonly signal?: AbortSignal;
  /** Sees every line of both outputs as it comes. */
  readonly onLine?: (line: string) => void;
}

/** How a command ended. */
export interface CommandResult {
  /** Exit status, or undefined where a signal ended the command or it could not be started. */
  readonly status: number | undefined;
  readonly stdout: string;
  /** The last lines of both outputs, for error messages. */
  readonly tail: string;
}

const tailLines = 40;

/** An error with advice: `message` says what was tried and found, `hint` what to do. */
export function failure(message: string, hint: string): Error {
  return new Error(`${message}\nhint: ${hint}`);
}

/** Runs a command to its end, whatever that is. A command that is not installed gives no status. */
export function tryCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      signal: options.signal,
      killSignal: "SIGKILL",
    });
    const stdout: string[] = [];
    const tail: string[] = [];
    const collect = (stream: Readable | null, whole?: string[]): void => {
      if (stream === null) return;
      createInterface({ input: stream }).on("line", (line) => {
        whole?.push(line);
        tail.push(line);
        if (tail.length > tailLines) tail.shift();
        options.onLine?.(line);
      });
    };
    collect(child.stdout, stdout);
    collect(child.stderr);
    if (options.input !== undefined && child.stdin !== null) {
      // The command may end before it has read everything; its status then says why.
      child.stdin.on("error", () => options.input?.destroy());
      options.input.pipe(child.stdin);
    }
    child.on("error", (error) => tail.push(error.message));
    child.on("close", (status) => {
      resolve({
        status: status === null || status < 0 ? undefined : status,
        stdout: stdout.join("\n"),
        tail: tail.join("\n"),
      });
    });
  });
}

/**
 * Runs a command that has to succeed and returns its standard output.
 * @throws Error with the last lines of its output where it fails
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const result = await tryCommand(command, args, options);
  if (result.status !== 0) {
    const line = [command, ...args].join(" ");
    throw new Error(`command failed with status ${result.status ?? "none"}: ${line}\n${result.tail}`);
  }
  return result.stdout;
}

/** A line consumer that passes on the newest line at most once per `everyMs`: a sign of life for long commands. */
export function signsOfLife(label: string, log: Log, everyMs = 5000): (line: string) => void {
  let lastMs = performance.now();
  return (line) => {
    if (line.trim() === "" || performance.now() - lastMs < everyMs) return;
    lastMs = performance.now();
    log(`${label}: ${line.trim()}`);
  };
}

/** True where the program is found on the PATH. */
export async function isInstalled(program: string): Promise<boolean> {
  const result = await tryCommand("sh", ["-c", 'command -v "$1"', "sh", program]);
  return result.status === 0;
}
