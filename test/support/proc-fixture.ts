import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One process of a `/proc` made by hand; what is absent looks like an ordinary server of root. */
export interface FixtureProcess {
  readonly pid: number;
  /** 1 when absent. */
  readonly ppid?: number;
  readonly comm: string;
  /** `[comm]` when absent. */
  readonly argv?: readonly string[];
  readonly state?: string;
  readonly startTime?: number;
  readonly processGroup?: number;
  readonly uid?: number;
  readonly isKernelThread?: boolean;
  /** Leaves users and signals out of `status`, as gVisor does. */
  readonly isTerse?: boolean;
  /** Numbers of signals. */
  readonly caught?: readonly number[];
  readonly ignored?: readonly number[];
  /** For each thread the numbers of the signals that it blocks, the main thread first. */
  readonly blocked?: readonly (readonly number[])[];
  /** `pid` when absent. */
  readonly namespacePid?: number;
  /** Can't be read when absent, as for another user's process. */
  readonly exe?: string;
  readonly cgroup?: string;
}

/** A `/proc` on disk, removed when disposed of. */
export interface ProcTree extends AsyncDisposable {
  readonly root: string;
}

/** Writes a `/proc` with these processes, as the kernel formats it; `self` points to the agent. */
export async function createProcTree(agentPid: number, processes: readonly FixtureProcess[]): Promise<ProcTree> {
  const root = await mkdtemp(join(tmpdir(), "certhup-proc-"));
  for (const process of processes) await writeProcess(root, process);
  await symlink(String(agentPid), join(root, "self"));
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

async function writeProcess(root: string, process: FixtureProcess): Promise<void> {
  const { pid, comm, argv = [comm], cgroup = "0::/\n" } = process;
  const directory = join(root, String(pid));
  await mkdir(directory);
  await writeFile(join(directory, "comm"), `${comm}\n`);
  await writeFile(join(directory, "cmdline"), argv.map((argument) => `${argument}\0`).join(""));
  await writeFile(join(directory, "stat"), formatStat(process));
  const threads = process.blocked ?? [[]];
  await writeFile(join(directory, "status"), formatStatus(process, threads[0] ?? [], threads.length));
  for (const [index, blocked] of threads.entries()) {
    const thread = join(directory, "task", String(pid + index));
    await mkdir(thread, { recursive: true });
    await writeFile(join(thread, "status"), formatStatus(process, blocked, threads.length));
  }
  await writeFile(join(directory, "cgroup"), cgroup);
  if (process.exe !== undefined) await symlink(process.exe, join(directory, "exe"));
}

function formatStat(process: FixtureProcess): string {
  const { pid, ppid = 1, comm, state = "S", startTime = 5_000, processGroup = pid, isKernelThread = false } = process;
  const flags = isKernelThread ? 0x0020_8040 : 4_194_560;
  const before = [state, ppid, processGroup, pid, 0, -1, flags, 136, 0, 0, 0, 0, 0, 0, 0, 20, 0, 1, 0];
  return `${pid} (${comm}) ${[...before, startTime, 2_990_080, 391].join(" ")}\n`;
}

function formatStatus(process: FixtureProcess, blocked: readonly number[], threads: number): string {
  const { pid, comm, uid = 0, caught = [], ignored = [], namespacePid = pid } = process;
  if (process.isTerse === true) return `Name:\t${comm}\nPid:\t${pid}\nThreads:\t${threads}\n`;
  const pids = namespacePid === pid ? `${pid}` : `${pid}\t${namespacePid}`;
  return [
    `Name:\t${comm}`,
    `Uid:\t${uid}\t${uid}\t${uid}\t${uid}`,
    `NSpid:\t${pids}`,
    `Threads:\t${threads}`,
    `SigBlk:\t${formatMask(blocked)}`,
    `SigIgn:\t${formatMask(ignored)}`,
    `SigCgt:\t${formatMask(caught)}`,
    "",
  ].join("\n");
}

function formatMask(signals: readonly number[]): string {
  const mask = signals.reduce((bits, signal) => bits | (1n << BigInt(signal - 1)), 0n);
  return mask.toString(16).padStart(16, "0");
}
