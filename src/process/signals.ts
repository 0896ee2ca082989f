import { constants } from "node:os";
import { basename } from "node:path";
import type { ProcessInfo } from "./process-info.ts";

/** A signal as the user wrote it, or why it is none. */
export type ParsedSignal =
  | { readonly kind: "signal"; readonly name: NodeJS.Signals; readonly number: number }
  | { readonly kind: "issue"; readonly message: string; readonly hint: string };

/** A signal by name and number. */
export interface Signal {
  readonly name: NodeJS.Signals;
  readonly number: number;
}

/** What a process does with a signal; `unknown` where the kernel shows no signal masks, as gVisor. */
export type Disposition = "caught" | "ignored" | "default" | "unknown";

const hint = "write a name or a number: SIGHUP, HUP and 1 are the same";

/** Reads `SIGHUP`, `HUP`, `hup` or `1`. Signal 0 and the unnamed real-time signals are issues. */
export function parseSignal(text: string): ParsedSignal {
  const wanted = text.trim().toUpperCase();
  if (/^\d+$/.test(wanted)) {
    const number = Number(wanted);
    if (number === 0) return { kind: "issue", message: "signal 0 only asks for permission and tells nothing", hint };
    const found = Object.entries(constants.signals).find((entry) => entry[1] === number);
    if (found === undefined) return { kind: "issue", message: `no signal has the number ${number}`, hint };
    return { kind: "signal", name: found[0] as NodeJS.Signals, number };
  }
  const name = (wanted.startsWith("SIG") ? wanted : `SIG${wanted}`) as NodeJS.Signals;
  const number = Object.hasOwn(constants.signals, name) ? constants.signals[name] : undefined;
  if (number === undefined) return { kind: "issue", message: `${JSON.stringify(text)} is no signal`, hint };
  return { kind: "signal", name, number };
}

/** Signals that do nothing where nobody asked for them (signal(7), default action `Ign`), and SIGCONT. */
const harmlessByDefault: ReadonlySet<NodeJS.Signals> = new Set(["SIGCHLD", "SIGURG", "SIGWINCH", "SIGCONT"]);

/** Signals that no process can refuse, PID 1 of a namespace as seen from an outer one included (pid_namespaces(7)). */
const irresistible: ReadonlySet<NodeJS.Signals> = new Set(["SIGKILL", "SIGSTOP"]);

/**
 * What the process would do with the signal: `caught` by a handler, or by `sigwait`/`signalfd`, for which every thread
 * blocks it; `ignored`, as PID 1 of a namespace does with all that it doesn't catch; `default` mostly ends the process.
 */
export function dispositionOf(process: ProcessInfo, signal: Signal): Disposition {
  const bit = 1n << BigInt(signal.number - 1);
  if (irresistible.has(signal.name)) return "default";
  if (process.caughtSignals === undefined) return "unknown";
  if ((process.caughtSignals & bit) !== 0n) return "caught";
  if ((process.ignoredSignals & bit) !== 0n) return "ignored";
  if ((process.blockedSignals & bit) !== 0n) return "caught";
  return process.namespacePid === 1 || harmlessByDefault.has(signal.name) ? "ignored" : "default";
}

/** Runtimes by the name of their program: they catch the signals that end a program, to end it in their own way. */
const runtimes: ReadonlyMap<string, Runtime> = new Map([
  ["java", "Java"],
  ["ruby", "Ruby"],
]);

/** A language runtime that catches signals for every program, so that a handler proves nothing of the program itself. */
export type Runtime = "Go" | "Java" | "Ruby";

/** The runtime that catches signals for this process, if one does. Go is known by catching all that can be caught. */
export function runtimeThatCatchesAll(process: ProcessInfo): Runtime | undefined {
  if (countBits(process.caughtSignals ?? 0n) >= 45) return "Go";
  return runtimes.get(basename(process.argv[0] ?? "")) ?? runtimes.get(process.comm);
}

function countBits(mask: bigint): number {
  return mask.toString(2).replaceAll("0", "").length;
}
