import { readFileSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import {
  type ProcessStat,
  type ProcessUids,
  parseProcessStat,
  parseProcessStatus,
  splitCommandLine,
} from "./process-files.ts";

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
  /** `undefined` where the kernel doesn't tell. */
  readonly uids: ProcessUids | undefined;
  /** Its pid in its own PID namespace: 1 is protected from signals that it doesn't catch (pid_namespaces(7)). */
  readonly namespacePid: number;
  /** Signals with a handler; bit 0 is signal 1. `undefined` where the kernel doesn't tell, as gVisor. */
  readonly caughtSignals: bigint | undefined;
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

/** Reads what never has to be waited for, at once; `undefined` when the process is gone, or hidden from this user. */
export function readProcessStat(pid: number, procRoot: string): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(join(procRoot, String(pid), "stat")));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/**
 * Reads one process; `undefined` when it is gone, or hidden from this user. The command line lies in the process's own
 * memory, and may have to be waited for.
 */
async function readProcessEntry(pid: number, procRoot: string): Promise<ProcessEntry | undefined> {
  const stat = readProcessStat(pid, procRoot);
  if (stat === undefined) return undefined;
  if (stat.isKernelThread || isDefunct(stat)) return { pid, ...stat, argv: [] };
  try {
    return { pid, ...stat, argv: splitCommandLine(await readFile(join(procRoot, String(pid), "cmdline"))) };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** So many processes are read at a time: each has files open meanwhile, and a node may run thousands. */
const readAtOnce = 64;

/** Reads these processes, but for those that are gone by then, in the order given. */
export async function readProcessEntries(pids: readonly number[], procRoot: string): Promise<ProcessEntry[]> {
  const found: ProcessEntry[] = [];
  for (let start = 0; start < pids.length; start += readAtOnce) {
    const part = pids.slice(start, start + readAtOnce);
    const entries = await Promise.all(part.map((pid) => readProcessEntry(pid, procRoot)));
    found.push(...entries.filter((entry) => entry !== undefined));
  }
  return found;
}

/** Adds user and signals to an entry; `undefined` when the process is gone. */
export async function completeEntry(entry: ProcessEntry, procRoot: string): Promise<ProcessInfo | undefined> {
  const directory = join(procRoot, String(entry.pid));
  try {
    const status = parseProcessStatus(await readFile(join(directory, "status"), "latin1"));
    const blockedByMain = status.blockedSignals ?? 0n;
    const isShared = status.threads > 1 && blockedByMain !== 0n;
    return {
      ...entry,
      uids: status.uids,
      namespacePid: status.namespacePid ?? entry.pid,
      caughtSignals: status.caughtSignals,
      ignoredSignals: status.ignoredSignals ?? 0n,
      blockedSignals: isShared ? await readBlockedByAll(join(directory, "task"), blockedByMain) : blockedByMain,
    };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

async function readBlockedByAll(taskDirectory: string, blockedByMain: bigint): Promise<bigint> {
  let blocked = blockedByMain;
  for (const thread of await readdir(taskDirectory)) {
    try {
      const status = parseProcessStatus(await readFile(join(taskDirectory, thread, "status"), "latin1"));
      blocked &= status.blockedSignals ?? 0n;
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
  const stat = readProcessStat(process.pid, procRoot);
  return stat !== undefined && stat.startTime === process.startTime && !isDefunct(stat);
}

/** Ended, and kept by the kernel only until its parent asks for it. It still accepts signals. */
export function isDefunct(process: Pick<ProcessEntry, "state">): boolean {
  return process.state === "Z" || process.state === "X" || process.state === "x";
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM";
}
