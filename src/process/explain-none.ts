import { escapeForeign } from "../system/escape.ts";
import { describeName, describeProcess, describeProcesses } from "./describe-process.ts";
import type { NoProcess, ProcessSelector, SearchedProcesses } from "./find-process.ts";
import { descendsFrom } from "./own-processes.ts";
import { isDefunct, type ProcessEntry } from "./process-info.ts";
import { isNginxWorker, isPause, isWrapper } from "./process-name.ts";

/** Why a selector named no process that can be told, from what the search saw. */
export function explainNone(selector: ProcessSelector, searched: SearchedProcesses): NoProcess {
  const hidden = explainHidden(searched);
  if (hidden !== undefined) return hidden;
  const { matches, candidates } = searched;
  const alive = matches.filter((process) => !isDefunct(process));
  if (matches.length > 0 && alive.length === 0) return defunct(matches);
  const workers = alive.filter(isNginxWorker);
  const [worker] = workers;
  const hasMaster = candidates.some(({ pid, comm }) => pid === worker?.ppid && comm === worker.comm);
  if (worker !== undefined && selector.pidFile !== undefined && hasMaster) {
    return unusablePid(selector.pidFile, "which is a worker of nginx: only its master reloads", worker.pid);
  }
  if (workers.length > 0) return workersOnly(workers);
  const wrappers = alive.filter(isWrapper);
  if (wrappers.length > 0) return wrappersOnly(wrappers);
  return {
    kind: "none",
    reason: "no-process",
    detail: `no process ${describeSelector(selector)}; seen: ${describeProcesses(candidates) || "none but the agent's own and pause"}`,
    hint: "the name is compared with argv[0], the program file and the first 15 bytes of comm; an interpreted program bears its interpreter's name and is found by --process-match",
  };
}

/** Why the pid in a pid file is none that can be told. */
export function explainPid(path: string, pid: number, searched: SearchedProcesses): NoProcess {
  const hidden = explainHidden(searched);
  if (hidden !== undefined) return hidden;
  const process = searched.table.get(pid);
  if (process === undefined) {
    return {
      kind: "none",
      reason: "no-process",
      detail: `pid file ${path} names pid ${pid}, and there is no such process`,
      hint: "the server ended without removing its file, or wrote it in another PID namespace: share the process namespace, or use --process-name",
    };
  }
  return unusablePid(path, `which is ${describeRole(process, searched)}`, pid);
}

/** The pid file names a process that the other selectors don't. */
export function explainMismatch(path: string, process: ProcessEntry, selector: ProcessSelector): NoProcess {
  if (isDefunct(process)) return defunct([process]);
  const shown = describeName(process);
  return unusablePid(path, `which is ${shown}, and not one that ${describeSelector(selector)}`, process.pid);
}

function unusablePid(path: string, what: string, pid: number): NoProcess {
  return {
    kind: "none",
    reason: "pid-file-unusable",
    detail: `pid file ${path} names pid ${pid}, ${what}`,
    hint: "the file is left over, or was written in another PID namespace: remove it when the server stops, or use --process-name",
  };
}

function describeRole(process: ProcessEntry, searched: SearchedProcesses): string {
  if (process.pid === searched.ownPid) return "the agent itself";
  if (isPause(process)) return "the pod's pause container";
  if (process.isKernelThread) return "a thread of the kernel";
  return `${describeName(process)} of the agent's own container`;
}

/** Nobody but the agent and what belongs to it is visible: the pod doesn't share its process namespace. */
export function explainHidden({ table, ownPid, candidates }: SearchedProcesses): NoProcess | undefined {
  const own = table.get(ownPid);
  const others = candidates.filter((process) => own === undefined || !descendsFrom(own, process.pid, table));
  if (others.length > 0 && ownPid !== 1) return undefined;
  const pause = [...table.values()].some(isPause);
  if (pause) return undefined;
  const visible = [...table.values()].filter((process) => !process.isKernelThread);
  const isHidden = ownPid !== 1 && !table.has(1);
  return {
    kind: "none",
    reason: "process-namespace-not-shared",
    detail: isHidden
      ? "only the agent's own processes are visible: /proc hides those of other users"
      : `only the agent's own processes are visible: ${describeProcesses(visible)}`,
    hint: isHidden
      ? "mount /proc without hidepid, or run agent and server as the same user"
      : "set shareProcessNamespace: true in the pod's spec (docker: --pid container:<server>)",
  };
}

function defunct(processes: readonly ProcessEntry[]): NoProcess {
  return {
    kind: "none",
    reason: "no-process",
    detail: `${describeProcesses(processes)} ${processes.length === 1 ? "is" : "are"} defunct: ended, and not yet collected by the parent`,
    hint: "the server has ended: its container's log says why",
  };
}

function workersOnly(workers: readonly ProcessEntry[]): NoProcess {
  return {
    kind: "none",
    reason: "no-process",
    detail: `nginx has workers without a master: ${describeProcesses(workers)}; they serve on, and nothing can make them reload`,
    hint: "restart the server's container",
  };
}

function wrappersOnly(wrappers: readonly ProcessEntry[]): NoProcess {
  const [first] = wrappers;
  return {
    kind: "none",
    reason: "wrapper-only",
    detail: `only a wrapper matches: ${wrappers.map(describeProcess).join(", ")}; a signal to it would end it, or miss the server`,
    hint: `match the server's own command line, or ask for ${first === undefined ? "it" : describeName(first)} by --process-name`,
  };
}

function describeSelector({ name, match, pidFile }: ProcessSelector): string {
  const parts: string[] = [];
  if (name !== undefined) parts.push(`is named ${escapeForeign(name, 60)}`);
  if (match !== undefined) parts.push(`has a command line that matches ${escapeForeign(String(match), 120)}`);
  if (parts.length === 0) parts.push(pidFile === undefined ? "was asked for" : `is in ${pidFile}`);
  return parts.join(" and ");
}
