import { constants } from "node:os";
import process from "node:process";

const endings = ["SIGTERM", "SIGINT"] as const;
/** What a shell reports of a program that a signal ended: this plus the signal's number. */
const endedBySignal = 128;

/** Settles with the first signal that asks the process to end; the next one ends it at once. */
export function waitForShutdown(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let isAsked = false;
  for (const signal of endings) {
    process.on(signal, () => {
      if (isAsked) process.exit(endedBySignal + constants.signals[signal]);
      isAsked = true;
      resolve(signal);
    });
  }
  return promise;
}

/** Ends the process with this status even if something holds it: what should have ended, or the look-up of a name. */
export function endWithin(timeoutMs: number, status: number): void {
  setTimeout(() => process.exit(status), timeoutMs).unref();
}
