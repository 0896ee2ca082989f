import type { Finding } from "../core/finding.ts";
import type { ReloadOutcome } from "../core/reload-outcome.ts";
import { describeProcess } from "../process/describe-process.ts";
import type { ProcessSelector } from "../process/find-process.ts";
import { doubtSignal, objectToSignal } from "../process/judge-signal.ts";
import { defaultProcRoot, isSameProcess, type ProcessEntry, type ProcessInfo } from "../process/process-info.ts";
import { readChildren } from "../process/related-processes.ts";
import { sendSignal } from "../process/send-signal.ts";
import type { Signal } from "../process/signals.ts";
import type { Clock } from "../system/clock.ts";
import type { ArgumentList } from "./argument-list.ts";
import { checkProgram, explainCommand } from "./exec.ts";
import { reloadFinding } from "./finding-codes.ts";
import { pollUntil } from "./poll.ts";
import type { ReloadStrategy } from "./reload-strategy.ts";
import { runCommand } from "./run-command.ts";
import { cancelled, findServer, prepareSignal, type Refusal } from "./server-process.ts";

/** What the strategy `nginx` needs. */
export interface NginxStrategyOptions {
  /** Usually the name `nginx`, or its pid file. */
  readonly selector: ProcessSelector;
  /** Run first, such as `nginx -t`; nginx is told only if it ends with status 0. */
  readonly testCommand?: ArgumentList;
  /** For the test, and anew for the new workers: a large configuration takes nginx seconds to load. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** The environment of the command; the agent's own when absent. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** `/proc` when absent. */
  readonly procRoot?: string;
}

const hangUp: Signal = { name: "SIGHUP", number: 1 };
const pollMs = 20;

/**
 * Tells nginx by SIGHUP to its master, and watches for a new generation of workers. nginx says nothing to whom sent the
 * signal: where no worker is new within the time limit, it could not load its configuration and kept the old one.
 */
export function createNginxStrategy(options: NginxStrategyOptions): ReloadStrategy {
  const { selector, testCommand, timeoutMs, clock, environment, procRoot = defaultProcRoot } = options;
  return {
    name: "nginx",
    async prepare(): Promise<readonly Finding[]> {
      const program = testCommand === undefined ? [] : await checkProgram(testCommand);
      const signal = await prepareSignal(
        selector,
        procRoot,
        async (server) => objectToSignal(server, hangUp),
        (server) => [...(isMaster(server) ? [] : [withoutMaster(server)]), ...doubtSignal(server, hangUp)],
      );
      return [...program, ...signal];
    },
    async reload(abort): Promise<ReloadOutcome> {
      if (testCommand !== undefined) {
        const result = await runCommand({ command: testCommand, timeoutMs, clock, abort, procRoot, environment });
        if (result.kind === "timed-out") return { kind: "timed-out", afterMs: result.afterMs };
        const refusal = explainCommand(testCommand, result);
        if (refusal !== undefined) return toTestRefusal(refusal);
      }
      const server = await findServer(selector, procRoot);
      if (server.kind === "refused") return server;
      const objection = objectToSignal(server.process, hangUp);
      if (objection !== undefined) return { kind: "refused", ...objection };
      const before = await readWorkers(server.process, procRoot);
      if (abort.aborted) return cancelled();
      const delivery = await sendSignal(server.process, hangUp, procRoot);
      if (delivery.kind === "refused") return delivery;
      const who = describeProcess(server.process);
      if (!isMaster(server.process)) {
        return { kind: "accepted", detail: `sent SIGHUP to ${who}, which has no workers to watch` };
      }
      return watchWorkers(server.process, before, abort);
    },
  };

  async function watchWorkers(
    master: ProcessInfo,
    before: readonly ProcessEntry[],
    abort: AbortSignal,
  ): Promise<ReloadOutcome> {
    const read = async () => {
      if (!isSameProcess(master, procRoot)) return "ended" as const;
      const now = await readWorkers(master, procRoot);
      return isNewGeneration(before, now) ? ("new" as const) : undefined;
    };
    const polled = await pollUntil(read, { clock, intervalMs: pollMs, timeoutMs, abort });
    const who = describeProcess(master);
    if (polled.kind === "timed-out") return keptConfiguration(who, timeoutMs);
    if (polled.kind === "cancelled") return { kind: "timed-out", afterMs: polled.afterMs };
    if (polled.value === "new") return { kind: "accepted", detail: `${who} started new workers after SIGHUP` };
    return {
      kind: "refused",
      reason: "process-changed",
      detail: `${who} ended while it was reloading`,
      hint: "the error log of nginx says why",
    };
  }
}

/**
 * nginx starts all new workers before it retires the old ones (ngx_master_process_cycle). One that only replaces a
 * worker that crashed is no new generation: more must be new than old ones are gone, or no old one may be left.
 */
function isNewGeneration(before: readonly ProcessEntry[], now: readonly ProcessEntry[]): boolean {
  const isOld = (worker: ProcessEntry): boolean =>
    before.some((old) => old.pid === worker.pid && old.startTime === worker.startTime);
  const old = now.filter(isOld);
  const fresh = now.length - old.length;
  return fresh > before.length - old.length || (fresh > 0 && old.length === 0);
}

/** Workers that take connections; one that only ends its last ones says so in its title. */
async function readWorkers(master: ProcessEntry, procRoot: string): Promise<ProcessEntry[]> {
  const children = await readChildren(master.pid, procRoot);
  return children.filter((process) => process.argv[0] === "nginx: worker process");
}

function isMaster(process: ProcessEntry): boolean {
  return process.argv[0]?.startsWith("nginx: master process") === true;
}

function withoutMaster(process: ProcessEntry): Finding {
  return reloadFinding(
    "no-master",
    `${describeProcess(process)} is no master of workers, so that its reload can't be watched`,
    "use master_process on, or --reload signal for a server that isn't nginx",
  );
}

function toTestRefusal(refusal: Refusal): Refusal {
  if (refusal.reason !== "command-failed") return refusal;
  return {
    kind: "refused",
    reason: "configuration-test-failed",
    detail: refusal.detail,
    hint: "nginx was not told and serves on; correct what the test names",
  };
}

function keptConfiguration(who: string, timeoutMs: number): Refusal {
  return {
    kind: "refused",
    reason: "configuration-kept",
    detail: `${who} kept its old configuration: no new worker within ${timeoutMs} ms after SIGHUP`,
    hint: "look at the error log of nginx; nginx -t in its container names the same fault",
  };
}
