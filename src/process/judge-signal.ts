import type { Finding } from "../core/finding.ts";
import { describeProcess } from "./describe-process.ts";
import { processFinding } from "./finding-codes.ts";
import type { ProcessInfo } from "./process-info.ts";
import { misunderstoodSignal } from "./server-signals.ts";
import { dispositionOf, runtimeThatCatchesAll, type Signal } from "./signals.ts";

/** Why a signal may not be sent: it would end the server, or do nothing. */
export interface SignalObjection {
  readonly reason: "signal-not-handled" | "signal-ignored";
  readonly detail: string;
  readonly hint: string;
}

/** Would this signal make the process reload, as far as the kernel knows? `undefined` where nothing speaks against it. */
export function objectToSignal(process: ProcessInfo, signal: Signal): SignalObjection | undefined {
  const who = describeProcess(process);
  switch (dispositionOf(process, signal)) {
    case "caught":
    case "unknown":
      return undefined;
    case "ignored":
      return {
        reason: "signal-ignored",
        detail:
          process.namespacePid === 1
            ? `${who} is PID 1 of its namespace and has no handler for ${signal.name}, so that the kernel drops it`
            : `${who} ignores ${signal.name}`,
        hint: "choose the signal that this server reloads on, or --reload restart where it can't reload",
      };
    case "default":
      return {
        reason: "signal-not-handled",
        detail: `${who} has no handler for ${signal.name}: it would end the process`,
        hint: "choose the signal that this server reloads on, or --reload restart where it can't reload; --signal-unhandled sends it all the same",
      };
  }
}

/** What can't be known of this signal, or is likely a mistake. None of it stops the signal. */
export function doubtSignal(process: ProcessInfo, signal: Signal): readonly Finding[] {
  const who = describeProcess(process);
  const findings: Finding[] = [];
  const runtime = runtimeThatCatchesAll(process);
  const disposition = dispositionOf(process, signal);
  if (disposition === "unknown") {
    findings.push(
      processFinding(
        "signal-handler-unknown",
        `whether ${who} has a handler for ${signal.name} can't be known: this kernel doesn't show it`,
        "look it up in the server's manual; use --reload restart where it has no reload",
      ),
    );
  }
  if (runtime !== undefined && disposition === "caught") {
    findings.push(
      processFinding(
        "signal-handler-unknown",
        `${who} runs on ${runtime}, which catches ${signal.name} for every program: whether this one reloads or ends can't be known`,
        "look it up in the server's manual; use --reload restart where it has no reload",
      ),
    );
  }
  const misunderstood = misunderstoodSignal(process, signal.name);
  if (misunderstood !== undefined) {
    const message = `${signal.name} is no reload for ${who}: it ${misunderstood.effect}`;
    findings.push(processFinding("signal-not-a-reload", message, misunderstood.hint));
  }
  return findings;
}
