import { readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { pid as ownPid } from "node:process";
import type { ProcessEntry } from "./process-info.ts";
import { isPause } from "./process-name.ts";

/** The processes of one look at `/proc`, by pid. */
export type ProcessTable = ReadonlyMap<number, ProcessEntry>;

/**
 * The agent's pid, where this `/proc` speaks of the pids that `kill` takes; `undefined` where it shows another PID
 * namespace than ours, as after `unshare --pid` without a fresh mount.
 */
export async function readOwnPid(procRoot: string): Promise<number | undefined> {
  try {
    return Number(await readlink(join(procRoot, "self"))) === ownPid ? ownPid : undefined;
  } catch {
    // A proc file system of a namespace that we aren't in has no `self` for us.
    return undefined;
  }
}

/** True where `ancestor` is among the parents of `process`. */
export function descendsFrom(process: ProcessEntry, ancestor: number, table: ProcessTable): boolean {
  const seen = new Set<number>();
  let parent = process.ppid;
  // A table is read over some time, so that pids used again could close a circle.
  while (parent !== 0 && !seen.has(parent)) {
    if (parent === ancestor) return true;
    seen.add(parent);
    parent = table.get(parent)?.ppid ?? 0;
  }
  return false;
}

/** Another process of this program: an exec probe, a second agent. Known by the script that both run. */
export function runsSameScript(process: ProcessEntry, own: ProcessEntry): boolean {
  const script = own.argv.slice(1).find((argument) => !argument.startsWith("-"));
  if (script === undefined || process.argv.length < 2) return false;
  return process.argv.slice(1).some((argument) => {
    return argument === script || (basename(script).startsWith("certhup") && basename(argument) === basename(script));
  });
}

/**
 * Pids in the agent's own container. Processes that `exec` started there have no parent to know them by, but share its
 * control group. Only told where the pod's `pause` is in another one, since outside of a pod a shared group means nothing.
 */
export async function readContainerPids(own: number, table: ProcessTable, procRoot: string): Promise<Set<number>> {
  const first = table.get(1);
  if (first === undefined || !isPause(first)) return new Set();
  const ownGroup = await readControlGroup(own, procRoot);
  if (ownGroup === undefined || (await readControlGroup(1, procRoot)) === ownGroup) return new Set();
  const pids = new Set<number>();
  for (const pid of table.keys()) {
    if ((await readControlGroup(pid, procRoot)) === ownGroup) pids.add(pid);
  }
  return pids;
}

async function readControlGroup(pid: number, procRoot: string): Promise<string | undefined> {
  try {
    return await readFile(join(procRoot, String(pid), "cgroup"), "utf8");
  } catch {
    // Gone, or a kernel without control groups: nothing is known then, and nothing is left out because of it.
    return undefined;
  }
}
