import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { defaultProcRoot, type ProcessEntry } from "./process-info.ts";

/** USER_HZ, in which the kernel counts for user space on every architecture that Node runs on. */
const ticksPerSecond = 100;

/** For how long a process has been running, in milliseconds, to the hundredth of a second. */
export async function readProcessAge(
  process: Pick<ProcessEntry, "startTime">,
  procRoot: string = defaultProcRoot,
): Promise<number> {
  const [uptimeSeconds] = (await readFile(join(procRoot, "uptime"), "latin1")).split(" ");
  return Math.max(0, Math.round((Number(uptimeSeconds) - process.startTime / ticksPerSecond) * 1_000));
}
