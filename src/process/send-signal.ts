import { geteuid, kill } from "node:process";
import { describeProcess } from "./describe-process.ts";
import { readOwnPid } from "./own-processes.ts";
import { defaultProcRoot, isSameProcess, type ProcessInfo } from "./process-info.ts";
import type { Signal } from "./signals.ts";

/** How sending a signal ended. `sent` says only that the kernel took it. */
export type SignalDelivery =
  | { readonly kind: "sent" }
  | {
      readonly kind: "refused";
      readonly reason: "process-changed" | "not-permitted" | "process-namespace-not-shared";
      readonly detail: string;
      readonly hint: string;
    };

/**
 * Sends a signal to this very process. Pid and start time are read again right before, in the same turn of the loop,
 * so that a pid used again is not hit. `procRoot` must belong to the agent's own PID namespace.
 */
export async function sendSignal(
  process: ProcessInfo,
  signal: Signal,
  procRoot: string = defaultProcRoot,
): Promise<SignalDelivery> {
  return deliver(process, signal.number, procRoot);
}

/** Asks the kernel whether the agent may signal the process: signal 0, which does nothing else. */
export async function askPermission(process: ProcessInfo, procRoot: string = defaultProcRoot): Promise<SignalDelivery> {
  return deliver(process, 0, procRoot);
}

async function deliver(process: ProcessInfo, number: number, procRoot: string): Promise<SignalDelivery> {
  if ((await readOwnPid(procRoot)) === undefined) {
    return {
      kind: "refused",
      reason: "process-namespace-not-shared",
      detail: `${procRoot} shows the processes of another PID namespace than the agent's`,
      hint: "mount a proc file system of the agent's own PID namespace there",
    };
  }
  if (!isSameProcess(process, procRoot)) return changed(process);
  try {
    kill(process.pid, number);
    return { kind: "sent" };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ESRCH") return changed(process);
    if (code === "EPERM") return notPermitted(process);
    throw error;
  }
}

function changed(process: ProcessInfo): SignalDelivery {
  return {
    kind: "refused",
    reason: "process-changed",
    detail: `${describeProcess(process)} ended, or its pid names another process by now`,
    hint: "nothing to do where the server is restarting: it is looked for again at the next try",
  };
}

function notPermitted(process: ProcessInfo): SignalDelivery {
  const uid = process.uids?.real;
  const owner = uid === undefined ? "another user" : `uid ${uid}`;
  return {
    kind: "refused",
    reason: "not-permitted",
    detail: `the agent runs as uid ${geteuid?.()} and may not signal ${describeProcess(process)} of ${owner}`,
    hint: `run the agent as ${uid === undefined ? "the server's user" : owner} (runAsUser; the pod-security level restricted allows only this), or as root with the capability KILL`,
  };
}
