import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDefunct, listPids, type ProcessEntry, readProcessEntry } from "./process-info.ts";

/** The living children of a process, in no order. Asks the kernel for them where it tells (CONFIG_PROC_CHILDREN). */
export async function readChildren(pid: number, procRoot: string): Promise<ProcessEntry[]> {
  const told = await readChildPids(pid, procRoot);
  const entries = await readEntries(told ?? (await listPids(procRoot)), procRoot);
  return entries.filter((process) => process.ppid === pid && !isDefunct(process));
}

/** The living members of a process group. */
export async function readGroup(processGroup: number, procRoot: string): Promise<ProcessEntry[]> {
  const entries = await readEntries(await listPids(procRoot), procRoot);
  return entries.filter((process) => process.processGroup === processGroup && !isDefunct(process));
}

async function readChildPids(pid: number, procRoot: string): Promise<number[] | undefined> {
  try {
    const text = await readFile(join(procRoot, String(pid), "task", String(pid), "children"), "latin1");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    // The file needs a kernel option, and the process may be gone: the whole list tells as well.
    return undefined;
  }
}

async function readEntries(pids: readonly number[], procRoot: string): Promise<ProcessEntry[]> {
  const entries = await Promise.all(pids.map((pid) => readProcessEntry(pid, procRoot)));
  return entries.filter((entry) => entry !== undefined);
}
