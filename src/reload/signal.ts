import { describeProcess } from "../process/describe-process.ts";
import type { ProcessSelector } from "../process/find-process.ts";
import { doubtSignal, objectToSignal } from "../process/judge-signal.ts";
import { defaultProcRoot } from "../process/process-info.ts";
import { sendSignal } from "../process/send-signal.ts";
import type { Signal } from "../process/signals.ts";
import type { ReloadStrategy } from "./reload-strategy.ts";
import { cancelled, findServer, prepareSignal } from "./server-process.ts";

/** What the strategy `signal` needs. */
export interface SignalStrategyOptions {
  readonly selector: ProcessSelector;
  readonly signal: Signal;
  /** Send the signal even where it would end the process or do nothing. */
  readonly allowUnhandled: boolean;
  /** `/proc` when absent. */
  readonly procRoot?: string;
}

/** Tells the server by a signal. Accepted means that the kernel took it, and that the process has a handler. */
export function createSignalStrategy(options: SignalStrategyOptions): ReloadStrategy {
  const { selector, signal, allowUnhandled, procRoot = defaultProcRoot } = options;
  return {
    name: "signal",
    prepare: () =>
      prepareSignal(
        selector,
        procRoot,
        async (server) => (allowUnhandled ? undefined : objectToSignal(server, signal)),
        (server) => doubtSignal(server, signal),
      ),
    async reload(abort) {
      const server = await findServer(selector, procRoot);
      if (server.kind === "refused") return server;
      const objection = allowUnhandled ? undefined : objectToSignal(server.process, signal);
      if (objection !== undefined) return { kind: "refused", ...objection };
      if (abort.aborted) return cancelled();
      const delivery = await sendSignal(server.process, signal, procRoot);
      if (delivery.kind === "refused") return delivery;
      return { kind: "accepted", detail: `sent ${signal.name} to ${describeProcess(server.process)}` };
    },
  };
}
