import process from "node:process";

/** Settles with the first signal that asks the process to end; the next one ends it at once, as by default. */
export function waitForShutdown(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, resolve);
  return promise;
}
