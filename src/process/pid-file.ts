import { readFile } from "node:fs/promises";
import type { NoProcess } from "./find-process.ts";

/** Larger pids don't exist: PID_MAX_LIMIT of the kernel's `include/linux/threads.h`. */
const largestPid = 4_194_304;

/** A pid file holds a number, perhaps a line more (PostgreSQL writes its data directory and port below). */
const longestPidFile = 4_096;

/** Reads the pid that a server wrote, anew each time: the first line, trimmed. Content is never shown. */
export async function readPidFile(path: string): Promise<{ readonly kind: "pid"; readonly pid: number } | NoProcess> {
  let content: Buffer;
  try {
    content = await readFile(path);
  } catch (error) {
    return unreadable(path, error as NodeJS.ErrnoException);
  }
  const [line = ""] = content.subarray(0, longestPidFile).toString("latin1").trim().split("\n");
  const pid = /^\d{1,7}$/.test(line.trim()) ? Number(line) : 0;
  if (pid >= 1 && pid <= largestPid) return { kind: "pid", pid };
  return {
    kind: "none",
    reason: "pid-file-unusable",
    detail: line === "" ? `pid file ${path} is empty` : `pid file ${path} doesn't begin with a pid`,
    hint: "give the file that the server writes its pid to, or find the server by --process-name",
  };
}

function unreadable(path: string, error: NodeJS.ErrnoException): NoProcess {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") {
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
    detail: `pid file ${path} can't be read: ${error.code ?? error.message}`,
    hint: "let the agent's user read it, or find the server by --process-name",
  };
}
