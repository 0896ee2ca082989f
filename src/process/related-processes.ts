import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDefunct, listPids, type ProcessEntry, readProcessEntries, readProcessStat } from "./process-info.ts";

/** The living children of a process, in no order. Asks the kernel for them where it tells (CONFIG_PROC_CHILDREN). */
export async function readChildren(pid: number, procRoot: string): Promise<ProcessEntry[]> {
  const told = await readChildPids(pid, procRoot);
  const entries = await readProcessEntries(told ?? (await listPids(procRoot)), procRoot);
  return entries.filter((process) => process.ppid === pid && !isDefunct(process));
}

/** The pids of the living members of a process group. */
export async function readGroup(processGroup: number, procRoot: string): Promise<number[]> {
  return (await listPids(procRoot)).filter((pid) => {
    const stat = readProcessStat(pid, procRoot);
    return stat?.processGroup === processGroup && !isDefunct(stat);
  });
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
