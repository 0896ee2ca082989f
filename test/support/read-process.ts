import {
  completeEntry,
  defaultProcRoot,
  type ProcessInfo,
  readProcessEntries,
} from "../../src/process/process-info.ts";

/** Reads all that is known of one process; `undefined` when it is gone, or hidden from this user. */
export async function readProcess(pid: number, procRoot: string = defaultProcRoot): Promise<ProcessInfo | undefined> {
  const [entry] = await readProcessEntries([pid], procRoot);
  return entry === undefined ? undefined : completeEntry(entry, procRoot);
}
