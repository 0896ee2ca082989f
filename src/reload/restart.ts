import type { ReloadOutcome } from "../core/reload-outcome.ts";
import { describeProcess } from "../process/describe-process.ts";
import type { ProcessSelector } from "../process/find-process.ts";
import { readProcessAge } from "../process/process-age.ts";
import { defaultProcRoot, isSameProcess, type ProcessInfo } from "../process/process-info.ts";
import { sendSignal } from "../process/send-signal.ts";
import { dispositionOf, type Signal } from "../process/signals.ts";
import type { Clock } from "../system/clock.ts";
import { pollUntil } from "./poll.ts";
import type { ReloadStrategy } from "./reload-strategy.ts";
import { cancelled, findServer, prepareSignal, type Refusal } from "./server-process.ts";

/** The process that a restart would end. */
export interface RestartCandidate {
  readonly pid: number;
  /** Since when it runs: a young one was restarted already, perhaps by an agent that has no memory of it. */
  readonly ageMs: number;
}

/** Whether a restart may be done now. Whoever knows the volume and the past decides; the strategy only asks. */
export type RestartPermission =
  | { readonly kind: "granted" }
  | {
      readonly kind: "withheld";
      readonly reason: "restart-too-soon" | "restart-in-progress" | "subpath-mount";
      readonly detail: string;
      readonly hint?: string;
      /** When it makes sense to ask again. */
      readonly retryAfterMs?: number;
    };

/** What the strategy `restart` needs. */
export interface RestartStrategyOptions {
  readonly selector: ProcessSelector;
  /** Asked each time right before the signal, and by `prepare`. Everything is granted when absent. */
  readonly permit?: (candidate: RestartCandidate) => RestartPermission | Promise<RestartPermission>;
  /** How long the server may take to end. */
  readonly graceMs: number;
  /** SIGKILL when the grace is over. */
  readonly killAfterGrace: boolean;
  readonly clock: Clock;
  /** `/proc` when absent. */
  readonly procRoot?: string;
}

const terminate: Signal = { name: "SIGTERM", number: 15 };
const destroy: Signal = { name: "SIGKILL", number: 9 };
const pollMs = 50;
/** A killed process is gone in moments, unless the kernel holds it in a call that can't be broken off. */
const killMs = 5_000;

/**
 * Ends the server by SIGTERM and waits until it is gone; the kubelet starts its container anew. Accepted means that
 * the process has ended, not that a new one runs.
 */
export function createRestartStrategy(options: RestartStrategyOptions): ReloadStrategy {
  const { selector, permit, graceMs, killAfterGrace, clock, procRoot = defaultProcRoot } = options;
  return {
    name: "restart",
    prepare: () => prepareSignal(selector, procRoot, async (server) => object(server) ?? (await askPermit(server))),
    async reload(abort): Promise<ReloadOutcome> {
      const server = await findServer(selector, procRoot);
      if (server.kind === "refused") return server;
      const objection = object(server.process) ?? (await askPermit(server.process));
      if (objection !== undefined) return objection;
      if (abort.aborted) return cancelled();
      const delivery = await sendSignal(server.process, terminate, procRoot);
      if (delivery.kind === "refused") return delivery;
      return awaitEnd(server.process, abort);
    },
  };

  function object(process: ProcessInfo): Refusal | undefined {
    if (killAfterGrace || dispositionOf(process, terminate) !== "ignored") return undefined;
    return {
      kind: "refused",
      reason: "signal-ignored",
      detail: `${describeProcess(process)} ignores SIGTERM and would not end`,
      hint: "--restart-kill ends it by SIGKILL after the grace",
    };
  }

  async function askPermit(process: ProcessInfo): Promise<Refusal | undefined> {
    const answer = await permit?.({ pid: process.pid, ageMs: await readProcessAge(process, procRoot) });
    return answer?.kind === "withheld" ? { ...answer, kind: "refused" } : undefined;
  }

  async function awaitEnd(process: ProcessInfo, abort: AbortSignal): Promise<ReloadOutcome> {
    const read = async () => (isSameProcess(process, procRoot) ? undefined : true);
    const who = describeProcess(process);
    const softly = await pollUntil(read, { clock, intervalMs: pollMs, timeoutMs: graceMs, abort });
    if (softly.kind === "seen") return { kind: "accepted", detail: `${who} ended on SIGTERM` };
    if (softly.kind === "cancelled" || !killAfterGrace) return { kind: "timed-out", afterMs: softly.afterMs };
    const delivery = await sendSignal(process, destroy, procRoot);
    if (delivery.kind === "refused" && delivery.reason !== "process-changed") return delivery;
    const hardly = await pollUntil(read, { clock, intervalMs: pollMs, timeoutMs: killMs, abort });
    if (hardly.kind !== "seen") return { kind: "timed-out", afterMs: softly.afterMs + hardly.afterMs };
    return { kind: "accepted", detail: `${who} took no notice of SIGTERM for ${graceMs} ms and was ended by SIGKILL` };
  }
}
