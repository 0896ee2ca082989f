import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kill } from "node:process";
import { isSameProcess, type ProcessInfo } from "../../src/process/process-info.ts";
import { readChildren } from "../../src/process/related-processes.ts";
import { readProcess } from "./read-process.ts";
import { until } from "./until.ts";

/** A real process that is no descendant of the test, as a server in another container is none of the agent. */
export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** As it was once it ran. */
  readonly info: ProcessInfo;
  isAlive(): boolean;
}

export interface ProgramOptions {
  /** What the process calls itself; the path when absent. */
  readonly title?: string;
  /** Commands of bash that run right before the program, in the same process: `trap '' HUP`. */
  readonly before?: string;
  /** Settles when the program is ready, by default once bash has become the program. */
  readonly isReady?: (process: ProcessInfo) => boolean;
}

/** Starts a program apart from the test's own processes, and ends it and its children by SIGKILL when disposed of. */
export async function startProgram(command: readonly string[], options: ProgramOptions = {}): Promise<Program> {
  const { title = command[0] ?? "", before = "", isReady = isNoShell } = options;
  const directory = await mkdtemp(join(tmpdir(), "certhup-program-"));
  const pidFile = join(directory, "pid");
  const script = `echo $$ >"$0"; ${before}\nexec -a "$1" "\${@:2}"`;
  const launcher = spawn("setsid", ["--fork", "bash", "-c", script, pidFile, title, ...command], { stdio: "ignore" });
  await once(launcher, "exit");
  const pid = Number(
    await until(
      () => readFile(pidFile, "utf8"),
      (text) => /^\d+\n$/.test(text),
    ),
  );
  await rm(directory, { recursive: true });
  const info = await until(
    () => readProcess(pid),
    (process) => process !== undefined && isReady(process),
    { what: `${command.join(" ")} to run` },
  );
  if (info === undefined) throw new Error(`${command.join(" ")} ended at once`);
  const isAlive = (): boolean => isSameProcess(info, "/proc");
  return {
    pid,
    info,
    isAlive,
    async [Symbol.asyncDispose]() {
      const all = [info, ...(await readChildren(pid, "/proc"))].filter((process) => isSameProcess(process, "/proc"));
      for (const process of all) kill(process.pid, "SIGKILL");
      await until(
        () => all.some((process) => isSameProcess(process, "/proc")),
        (isLeft) => !isLeft,
      );
    },
  };
}

function isNoShell(process: ProcessInfo): boolean {
  return process.comm !== "bash";
}

/** Copies a program under another name, so that the kernel knows it by that name. */
export async function copyProgram(path: string, name: string): Promise<{ readonly path: string } & AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), "certhup-copy-"));
  const copy = join(directory, name);
  await copyFile(path, copy);
  return { path: copy, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}
