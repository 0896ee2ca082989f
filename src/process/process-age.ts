import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readOwnAge } from "../system/own-age.ts";
import { parseProcessStat } from "./process-files.ts";
import { defaultProcRoot, type ProcessEntry } from "./process-info.ts";

/** USER_HZ, in which the kernel counts for user space on every architecture that Node runs on. */
const ticksPerSecond = 100;

/**
 * For how long a process has been running, in milliseconds, to the hundredth of a second: as long as this process, and
 * longer by as much as it was started earlier. It may be said too young by the moment between this process's start and
 * that of Node in it, never lastingly so.
 *
 * `/proc/uptime` is not asked: lxcfs puts the uptime of a container there, while start times are still counted from the
 * boot of the machine, so that the difference could stay below zero for months.
 *
 * @param ownAgeMs for how long this process, which `self` in `procRoot` stands for, has been running
 * @throws Error where `procRoot` has no readable `self`
 */
export async function readProcessAge(
  process: Pick<ProcessEntry, "startTime">,
  procRoot: string = defaultProcRoot,
  ownAgeMs: number = readOwnAge(),
): Promise<number> {
  const path = join(procRoot, "self", "stat");
  const own = parseProcessStat(await readFile(path));
  if (own === undefined) throw new Error(`${path} isn't in the format of proc(5)`);
  const olderMs = (own.startTime - process.startTime) * (1_000 / ticksPerSecond);
  return Math.max(0, Math.round(ownAgeMs + olderMs));
}
