/** What `/proc/<pid>/stat` tells. */
export interface ProcessStat {
  readonly comm: string;
  readonly state: string;
  readonly ppid: number;
  readonly processGroup: number;
  readonly startTime: number;
  readonly isKernelThread: boolean;
}

/** What `/proc/<pid>/status` tells. `undefined` where the kernel doesn't write the line: gVisor has no signal masks. */
export interface ProcessStatus {
  readonly uids: ProcessUids | undefined;
  readonly namespacePid: number | undefined;
  readonly threads: number;
  readonly caughtSignals: bigint | undefined;
  readonly ignoredSignals: bigint | undefined;
  readonly blockedSignals: bigint | undefined;
}

/** The users of a process by number (credentials(7)). */
export interface ProcessUids {
  readonly real: number;
  readonly effective: number;
  readonly saved: number;
}

/** PF_KTHREAD of the kernel's `include/linux/sched.h`. */
const kernelThreadFlag = 0x00200000;

/**
 * Reads proc(5) `stat`. The name stands in parentheses and may itself hold spaces and parentheses, so the fields are
 * counted from the last `)`. `undefined` when it isn't such a line.
 */
export function parseProcessStat(content: Buffer): ProcessStat | undefined {
  const text = content.toString("utf8");
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  if (open < 0 || close < open) return undefined;
  // Field 3 of the manual page is at index 0.
  const fields = text.slice(close + 2).split(" ");
  const [state, ppid, processGroup] = fields;
  const startTime = Number(fields[19]);
  if (state === undefined || state === "" || !Number.isSafeInteger(startTime)) return undefined;
  return {
    comm: text.slice(open + 1, close),
    state,
    ppid: Number(ppid),
    processGroup: Number(processGroup),
    startTime,
    isKernelThread: (Number(fields[6]) & kernelThreadFlag) !== 0,
  };
}

/** Reads proc(5) `status`. */
export function parseProcessStatus(text: string): ProcessStatus {
  const lines = new Map<string, string>();
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) lines.set(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const [real, effective, saved] = numbers(lines.get("Uid"));
  return {
    uids: real === undefined || effective === undefined || saved === undefined ? undefined : { real, effective, saved },
    namespacePid: numbers(lines.get("NSpid")).at(-1),
    threads: numbers(lines.get("Threads"))[0] ?? 1,
    caughtSignals: mask(lines.get("SigCgt")),
    ignoredSignals: mask(lines.get("SigIgn")),
    blockedSignals: mask(lines.get("SigBlk")),
  };
}

/** Splits proc(5) `cmdline`. Titles set by the process leave a tail of NULs or spaces, which is cut. */
export function splitCommandLine(content: Buffer): string[] {
  const text = content.toString("utf8").replace(/[\0 ]+$/, "");
  return text === "" ? [] : text.split("\0");
}

function numbers(text: string | undefined): number[] {
  return text === undefined || text === "" ? [] : text.split(/\s+/).map(Number);
}

function mask(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[0-9a-f]+$/i.test(text) ? BigInt(`0x${text}`) : undefined;
}
