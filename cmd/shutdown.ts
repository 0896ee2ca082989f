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

/**
 * Ends the process with this status once its output is written, even if something holds it, such as the look-up of a name.
 * Whoever reads a pipe may take their time.
 */
export function endOnceWritten(status: number): void {
  process.stdout.write("", () => process.exit(status));
}

/** Ends the process with this status even if something that should have ended holds it. */
export function endWithin(timeoutMs: number, status: number): void {
  setTimeout(() => process.exit(status), timeoutMs).unref();
}
