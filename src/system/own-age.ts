import { uptime } from "node:process";

/** For how long this process has been running, in milliseconds: Node's own count, which no file system can change. */
export function readOwnAge(): number {
  return uptime() * 1_000;
}
