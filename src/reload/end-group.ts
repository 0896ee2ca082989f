import { kill } from "node:process";
import { readGroup } from "../process/related-processes.ts";
import type { Clock } from "../system/clock.ts";
import { pollUntil } from "./poll.ts";

/** A process group by its leader, a child of the agent. */
export interface GroupLeader {
  readonly pid: number;
  /** True once the leader has ended, from when on its pid may be used again. */
  readonly hasExited: () => boolean;
}

/** Between SIGTERM and SIGKILL. */
const graceMs = 1_000;

/**
 * Ends what is left of a group: SIGTERM, and SIGKILL a second later. The number of a group stays reserved as long as it
 * has a member, so that it is looked up right before each signal: a group that is empty may be somebody else's soon.
 */
export async function endGroup(leader: GroupLeader, clock: Clock, procRoot: string): Promise<void> {
  const never = new AbortController().signal;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!(await signalGroup(leader, signal, procRoot))) return;
    const read = async () => ((await isEmpty(leader, procRoot)) ? true : undefined);
    const polled = await pollUntil(read, { clock, intervalMs: 20, timeoutMs: graceMs, abort: never });
    if (polled.kind === "seen") return;
  }
}

async function signalGroup(leader: GroupLeader, signal: NodeJS.Signals, procRoot: string): Promise<boolean> {
  if (await isEmpty(leader, procRoot)) return false;
  try {
    kill(-leader.pid, signal);
    return true;
  } catch {
    // ESRCH: it ended by itself just now. EPERM: it changed its user, and is out of our reach.
    return false;
  }
}

async function isEmpty(leader: GroupLeader, procRoot: string): Promise<boolean> {
  const members = await readGroup(leader.pid, procRoot);
  // A leader after ours has ended is a stranger that got its number.
  return members.length === 0 || (leader.hasExited() && members.includes(leader.pid));
}
