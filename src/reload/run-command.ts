import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "../system/clock.ts";
import type { ArgumentList } from "./argument-list.ts";
import { createOutputTail } from "./command-output.ts";
import { endGroup } from "./end-group.ts";

/** What to run, and for how long. */
export interface CommandOptions {
  readonly command: ArgumentList;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly abort: AbortSignal;
  readonly procRoot: string;
  /** The environment of the command; this process's own when absent. */
  readonly environment: NodeJS.ProcessEnv | undefined;
}

/** How a command ended; the first cause counts. */
export type CommandEnding =
  | { readonly kind: "ended"; readonly status: number }
  | { readonly kind: "killed"; readonly signal: NodeJS.Signals }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "not-started"; readonly code: string };

/** `output` is the end of what the command wrote to both outputs, not escaped. */
export type CommandResult = CommandEnding & { readonly output: string };

/** After the group is gone its pipes are read for so long: who left the group may hold them open for ever. */
const drainMs = 100;

/**
 * Runs a program without a shell, in a process group of its own, its outputs read and its input closed. However it
 * ends, the whole group is gone when this settles: a program that is to live on must leave the group (setsid).
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { command, clock, abort, procRoot, environment: env } = options;
  if (abort.aborted) return { kind: "cancelled", output: "" };
  const [program, ...parameters] = command;
  let child: ChildProcess & { stdout: Readable; stderr: Readable };
  try {
    child = spawn(program, parameters, { detached: true, stdio: ["ignore", "pipe", "pipe"], env });
  } catch (error) {
    // Node throws for a part of the errors (E2BIG) and emits the others.
    return { kind: "not-started", code: (error as NodeJS.ErrnoException).code ?? "unknown", output: "" };
  }
  const tail = createOutputTail();
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => tail.add(chunk));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const exited = whenExited(child);
  const ending = await firstEnding(exited, options);
  if (child.pid !== undefined) {
    const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await endGroup({ pid: child.pid, hasExited }, clock, procRoot);
    await atMost(closed, drainMs, clock);
    child.stdout.destroy();
    child.stderr.destroy();
  }
  return { ...ending, output: tail.text() };
}

function whenExited(child: ChildProcess): Promise<CommandEnding> {
  return new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      resolve({ kind: "not-started", code: error.code ?? "unknown" }),
    );
    child.once("exit", (status, signal) =>
      resolve(signal === null ? { kind: "ended", status: status ?? 0 } : { kind: "killed", signal }),
    );
  });
}

async function firstEnding(exited: Promise<CommandEnding>, options: CommandOptions): Promise<CommandEnding> {
  const { timeoutMs, clock, abort } = options;
  const { promise, resolve } = Promise.withResolvers<CommandEnding>();
  const onAbort = (): void => resolve({ kind: "cancelled" });
  const cancel = clock.after(timeoutMs, () => resolve({ kind: "timed-out", afterMs: timeoutMs }));
  abort.addEventListener("abort", onAbort, { once: true });
  const ending = await Promise.race([exited, promise]);
  abort.removeEventListener("abort", onAbort);
  cancel();
  return ending;
}

async function atMost(settled: Promise<void>, limitMs: number, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(limitMs, resolve);
  await Promise.race([settled, promise]);
  cancel();
}
