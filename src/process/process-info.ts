import { readFileSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { parseProcessStat, parseProcessStatus, splitCommandLine } from "./process-files.ts";

/** What tells processes apart, as it was at one moment. */
export interface ProcessEntry {
  readonly pid: number;
  /** 0 where the parent lives in another PID namespace: the first process of a container, or one started by `exec`. */
  readonly ppid: number;
  /** The kernel's name of the main thread, cut to 15 bytes (proc(5), `/proc/pid/comm`); foreign text. */
  readonly comm: string;
  /** The command line as the process shows it now; empty for zombies and kernel threads; foreign text. */
  readonly argv: readonly string[];
  /** One letter: `Z` is a zombie. */
  readonly state: string;
  /** Clock ticks after boot: with the pid, it names one process and no later one. */
  readonly startTime: number;
  readonly processGroup: number;
  readonly isKernelThread: boolean;
}

/** One process with what decides about signals. */
export interface ProcessInfo extends ProcessEntry {
  readonly uids: { readonly real: number; readonly effective: number; readonly saved: number };
  /** Its pid in its own PID namespace: 1 is protected from signals that it doesn't catch (pid_namespaces(7)). */
  readonly namespacePid: number;
  /** Signals with a handler; bit 0 is signal 1. */
  readonly caughtSignals: bigint;
  readonly ignoredSignals: bigint;
  /** Signals that every thread blocks: they wait for `sigwait` or `signalfd` and end nothing. */
  readonly blockedSignals: bigint;
}

/** Where Linux shows its processes. No other system has it. */
export const defaultProcRoot = "/proc";

/** The pids listed in `/proc`, ascending. @throws when it can't be listed: not Linux, or not mounted */
export async function listPids(procRoot: string): Promise<number[]> {
  const names = await readdir(procRoot);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Reads one process; `undefined` when it is gone, or hidden from this user. */
export async function readProcessEntry(pid: number, procRoot: string): Promise<ProcessEntry | undefined> {
  const directory = join(procRoot, String(pid));
  try {
    const stat = parseProcessStat(await readFile(join(directory, "stat")));
    if (stat === undefined) return undefined;
    const hasCommandLine = !stat.isKernelThread && !isDefunct(stat);
    const argv = hasCommandLine ? splitCommandLine(await readFile(join(directory, "cmdline"))) : [];
    return { pid, ...stat, argv };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Reads all that is known of one process; `undefined` when it is gone, or hidden from this user. */
export async function readProcess(pid: number, procRoot: string = defaultProcRoot): Promise<ProcessInfo | undefined> {
  const entry = await readProcessEntry(pid, procRoot);
  return entry === undefined ? undefined : completeEntry(entry, procRoot);
}

/** Adds user and signals to an entry; `undefined` when the process is gone. */
export async function completeEntry(entry: ProcessEntry, procRoot: string): Promise<ProcessInfo | undefined> {
  const directory = join(procRoot, String(entry.pid));
  try {
    const status = parseProcessStatus(await readFile(join(directory, "status"), "latin1"));
    const blockedSignals =
      status.threads > 1 && status.blockedSignals !== 0n
        ? await readBlockedByAll(join(directory, "task"), status.blockedSignals)
        : status.blockedSignals;
    const { threads: _, ...rest } = status;
    return { ...entry, ...rest, namespacePid: status.namespacePid ?? entry.pid, blockedSignals };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

async function readBlockedByAll(taskDirectory: string, blockedByMain: bigint): Promise<bigint> {
  let blocked = blockedByMain;
  for (const thread of await readdir(taskDirectory)) {
    try {
      blocked &= parseProcessStatus(await readFile(join(taskDirectory, thread, "status"), "latin1")).blockedSignals;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return blocked;
}

/** The name of the program file, without ` (deleted)`; `undefined` where it may not be read: another user's process. */
export async function readExecutable(pid: number, procRoot: string): Promise<string | undefined> {
  try {
    return (await readlink(join(procRoot, String(pid), "exe"))).replace(/ \(deleted\)$/, "");
  } catch {
    // Another user's `exe` is closed to us, a kernel thread has none: the name is sought elsewhere then.
    return undefined;
  }
}

/** Is this still the same process, alive? Read at once, so that nothing comes between the answer and what follows. */
export function isSameProcess(process: Pick<ProcessEntry, "pid" | "startTime">, procRoot: string): boolean {
  try {
    const stat = parseProcessStat(readFileSync(join(procRoot, String(process.pid), "stat")));
    return stat !== undefined && stat.startTime === process.startTime && !isDefunct(stat);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Ended, and kept by the kernel only until its parent asks for it. It still accepts signals. */
export function isDefunct(process: Pick<ProcessEntry, "state">): boolean {
  return process.state === "Z" || process.state === "X" || process.state === "x";
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM";
}
