import { explainReadFailure, type ReadFailure, readBounded } from "../system/read-bounded.ts";
import type { NoProcess } from "./find-process.ts";

/** Larger pids don't exist: PID_MAX_LIMIT of the kernel's `include/linux/threads.h`. */
const largestPid = 4_194_304;

/** A pid file holds a number, perhaps a line more (PostgreSQL writes its data directory and port below). */
const longestPidFile = 4_096;

/** Reads the pid that a server wrote, anew each time: the first line, trimmed. Content is never shown. */
export async function readPidFile(path: string): Promise<{ readonly kind: "pid"; readonly pid: number } | NoProcess> {
  const read = await readBounded(path, longestPidFile);
  if (read.kind === "failed") return unreadable(path, read.failure);
  const [line = ""] = read.bytes.toString("latin1").trim().split("\n");
  const pid = /^\d{1,7}$/.test(line.trim()) ? Number(line) : 0;
  if (pid >= 1 && pid <= largestPid) return { kind: "pid", pid };
  return {
    kind: "none",
    reason: "pid-file-unusable",
    detail: line === "" ? `pid file ${path} is empty` : `pid file ${path} doesn't begin with a pid`,
    hint: "give the file that the server writes its pid to, or find the server by --process-name",
  };
}

function unreadable(path: string, failure: ReadFailure): NoProcess {
  if (failure.reason === "system-error" && (failure.code === "ENOENT" || failure.code === "ENOTDIR")) {
    return {
      kind: "none",
      reason: "no-process",
      detail: `pid file ${path} isn't there`,
      hint: "is the server running, and is the directory of its pid file a volume that both containers mount? --process-name needs no file",
    };
  }
  return {
    kind: "none",
    reason: "pid-file-unusable",
    detail: `pid file ${path} ${explainReadFailure(failure)}`,
    hint: "give a file that the agent's user may read, or find the server by --process-name",
  };
}
