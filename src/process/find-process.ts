import { runInNewContext } from "node:vm";
import type { RefusalReason } from "../core/reload-outcome.ts";
import { describeWithTitle } from "./describe-process.ts";
import { explainHidden, explainMismatch, explainNone, explainPid } from "./explain-none.ts";
import { descendsFrom, type ProcessTable, readContainerPids, readOwnPid, runsSameScript } from "./own-processes.ts";
import { readPidFile } from "./pid-file.ts";
import {
  completeEntry,
  defaultProcRoot,
  isDefunct,
  listPids,
  type ProcessEntry,
  type ProcessInfo,
  readExecutable,
  readProcessEntries,
} from "./process-info.ts";
import { bearsName, isNginxWorker, isPause, isWrapper } from "./process-name.ts";

/** Which process is the server. With a pid file and a name or pattern, the file's process must match them too. */
export interface ProcessSelector {
  readonly pidFile?: string;
  /** Compared with `argv[0]`, the process's title, its program file and `comm`. A path counts by its last part. */
  readonly name?: string;
  /** Matched against the command line, arguments joined by one space. */
  readonly match?: RegExp;
}

/** Where to look, and who looks. */
export interface FindProcessOptions {
  /** `/proc` when absent. */
  readonly procRoot?: string;
  /** The agent, by pid in `procRoot`; the calling process when absent. */
  readonly self?: { readonly pid: number };
}

/** Why a search found nobody to tell. */
export interface NoProcess {
  readonly kind: "none";
  readonly reason: RefusalReason;
  readonly detail: string;
  readonly hint: string;
}

/** What a search for the server found; `ambiguous` where several processes could be it, and none is above the others. */
export type ProcessSearch =
  | { readonly kind: "found"; readonly process: ProcessInfo }
  | NoProcess
  | {
      readonly kind: "ambiguous";
      readonly processes: readonly ProcessInfo[];
      readonly detail: string;
      readonly hint: string;
    };

/** What a search looked at, kept to explain an empty result. */
export interface SearchedProcesses {
  readonly table: ProcessTable;
  readonly ownPid: number;
  /** Processes that could have been the server: not ours, no kernel thread, no pause. */
  readonly candidates: readonly ProcessEntry[];
  /** Candidates that the selector names, zombies and workers included. */
  readonly matches: readonly ProcessEntry[];
}

/**
 * Finds the one process to tell. Never the agent, its descendants, its own container or another certhup; never a
 * zombie, a kernel thread or `pause`. Among several, the topmost: a signal to a worker does nothing.
 * @throws when `procRoot` can't be listed, as on any system but Linux
 */
export async function findProcess(selector: ProcessSelector, options: FindProcessOptions = {}): Promise<ProcessSearch> {
  const procRoot = options.procRoot ?? defaultProcRoot;
  const ownPid = options.self?.pid ?? (await readOwnPid(procRoot));
  const table = await readTable(procRoot);
  if (ownPid === undefined) return otherNamespace(procRoot);
  const candidates = await findCandidates(table, ownPid, procRoot);
  const searched = { table, ownPid, candidates, matches: [] };
  let pool = candidates;
  if (selector.pidFile !== undefined) {
    const named = await readPidFile(selector.pidFile);
    if (named.kind === "none") return (named.reason === "no-process" ? explainHidden(searched) : undefined) ?? named;
    pool = candidates.filter((process) => process.pid === named.pid);
    if (pool.length === 0) return explainPid(selector.pidFile, named.pid, searched);
  }
  const matches = await findMatches(pool, selector, procRoot).catch(unlessTooSlow);
  if (matches === undefined) return tooSlow;
  if (selector.pidFile !== undefined && matches.length === 0 && pool[0] !== undefined) {
    return explainMismatch(selector.pidFile, pool[0], selector);
  }
  const chosen = chooseTopmost(matches, selector, table);
  if (chosen.length === 0) return explainNone(selector, { ...searched, matches });
  const processes: ProcessInfo[] = [];
  for (const entry of chosen) {
    const process = await completeEntry(entry, procRoot);
    if (process !== undefined) processes.push(process);
  }
  const [process] = processes;
  if (process === undefined) return explainNone(selector, searched);
  return processes.length === 1 ? { kind: "found", process } : ambiguous(processes);
}

const tooSlow: NoProcess = {
  kind: "none",
  reason: "no-process",
  detail: "the pattern of --process-match takes too long on the command lines of this pod",
  hint: "write it without nested repetitions such as (.*)*, or use --process-name",
};

function unlessTooSlow(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
}

async function readTable(procRoot: string): Promise<ProcessTable> {
  const entries = await readProcessEntries(await listPids(procRoot), procRoot);
  return new Map(entries.map((entry) => [entry.pid, entry]));
}

async function findCandidates(table: ProcessTable, ownPid: number, procRoot: string): Promise<ProcessEntry[]> {
  const own = table.get(ownPid);
  const container = await readContainerPids(ownPid, table, procRoot);
  return [...table.values()].filter((process) => {
    if (process.pid === ownPid || process.isKernelThread || isPause(process) || container.has(process.pid))
      return false;
    return !descendsFrom(process, ownPid, table) && (own === undefined || !runsSameScript(process, own));
  });
}

async function findMatches(
  pool: readonly ProcessEntry[],
  selector: ProcessSelector,
  procRoot: string,
): Promise<ProcessEntry[]> {
  const { name, match, pidFile } = selector;
  if (name === undefined && match === undefined && pidFile === undefined) return [];
  const matches = match === undefined ? pool : matchCommandLines(pool, match);
  if (name === undefined) return [...matches];
  const isNamed = await Promise.all(
    matches.map(async (process) => {
      if (bearsName(process, name, undefined)) return true;
      return bearsName(process, name, await readExecutable(process.pid, procRoot));
    }),
  );
  return matches.filter((_, index) => isNamed[index]);
}

/** Of each command line so much is matched; longer ones belong to class paths and the like. */
const matchedLength = 4_096;
/** For all command lines together; a pattern that needs longer backtracks without end. */
const matchLimitMs = 250;

/**
 * Matches in a context of its own, where the time can be limited: a pattern that backtracks would stop the whole agent.
 * `search` starts anew each time, where `test` of a pattern with the flag `g` would go on where it stopped.
 * @throws Error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT`
 */
function matchCommandLines(pool: readonly ProcessEntry[], match: RegExp): readonly ProcessEntry[] {
  const texts = pool.map(({ argv }) => argv.join(" ").slice(0, matchedLength));
  const context = { texts, match, found: [] as boolean[] };
  runInNewContext("found = texts.map((text) => text.search(match) >= 0)", context, { timeout: matchLimitMs });
  return pool.filter((_, index) => context.found[index]);
}

/** A wrapper counts only when it is asked for by name or pid file, and nothing that it started matches too. */
function chooseTopmost(
  matches: readonly ProcessEntry[],
  selector: ProcessSelector,
  table: ProcessTable,
): readonly ProcessEntry[] {
  const isNamed = selector.name !== undefined || selector.pidFile !== undefined;
  const alive = matches.filter((process) => !isDefunct(process) && !isNginxWorker(process));
  const servers = alive.filter((process) => {
    if (!isWrapper(process)) return true;
    return isNamed && !alive.some((other) => descendsFrom(other, process.pid, table));
  });
  return servers.filter((process) => !servers.some((other) => descendsFrom(process, other.pid, table)));
}

function ambiguous(processes: readonly ProcessInfo[]): ProcessSearch {
  return {
    kind: "ambiguous",
    processes,
    detail: `${processes.length} processes match: ${processes.map(describeWithTitle).join(", ")}`,
    hint: "name one of them: by --pid-file, or by --process-match with a pattern of its command line",
  };
}

function otherNamespace(procRoot: string): NoProcess {
  return {
    kind: "none",
    reason: "process-namespace-not-shared",
    detail: `${procRoot} shows the processes of another PID namespace than the agent's`,
    hint: "mount a proc file system of the agent's own PID namespace there",
  };
}
