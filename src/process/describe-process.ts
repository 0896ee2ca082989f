import { basename } from "node:path";
import { escapeForeign } from "../system/escape.ts";
import type { ProcessEntry } from "./process-info.ts";

/** So many processes are named in one sentence. */
const namedProcesses = 12;

/** A process as it is described: its arguments help where the kernel's name says nothing. */
type Described = Pick<ProcessEntry, "comm"> & Partial<Pick<ProcessEntry, "argv">>;

/** What Node calls the first thread of every program, and so the process. */
const namelessComm = "MainThread";

/** The kernel's name of a process, or its program's where that says more; foreign text escaped. */
export function describeName({ comm, argv = [] }: Described): string {
  const [program = comm] = argv;
  return escapeForeign(comm === namelessComm ? basename(program) : comm, 60);
}

/** One process for people: `nginx (pid 7)`. Foreign text is escaped. */
export function describeProcess(process: Described & Pick<ProcessEntry, "pid">): string {
  return `${describeName(process)} (pid ${process.pid})`;
}

/** One process with what it calls itself, to tell it from its like. Arguments are left out: they may hold secrets. */
export function describeWithTitle(process: Pick<ProcessEntry, "pid" | "comm" | "argv">): string {
  const [title = process.comm] = process.argv;
  return `${escapeForeign(title, 80)} (pid ${process.pid})`;
}

/** Several processes in one line, the first twelve by name. */
export function describeProcesses(processes: readonly ProcessEntry[]): string {
  const named = processes.slice(0, namedProcesses).map(describeProcess).join(", ");
  const left = processes.length - namedProcesses;
  return left > 0 ? `${named} and ${left} more` : named;
}
