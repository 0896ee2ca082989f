import type { Clock } from "../system/clock.ts";

/** How often to read, for how long, and who may give up before. */
export interface PollOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly abort: AbortSignal;
}

/** How a poll ended; `afterMs` counts from its first read. */
export type Polled<T> =
  | { readonly kind: "seen"; readonly value: T }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "cancelled"; readonly afterMs: number };

/** Reads again and again until something is seen, the time is up, or the caller gives up. Reads at least once. */
export async function pollUntil<T>(read: () => Promise<T | undefined>, options: PollOptions): Promise<Polled<T>> {
  const { clock, intervalMs, timeoutMs, abort } = options;
  const startMs = clock.now().monotonicMs;
  for (;;) {
    const value = await read();
    if (value !== undefined) return { kind: "seen", value };
    const afterMs = clock.now().monotonicMs - startMs;
    if (abort.aborted) return { kind: "cancelled", afterMs };
    if (afterMs >= timeoutMs) return { kind: "timed-out", afterMs };
    await pause(Math.min(intervalMs, timeoutMs - afterMs), clock, abort);
  }
}

/** Waits, and wakes early when `abort` is. */
async function pause(delayMs: number, clock: Clock, abort: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const cancel = clock.after(delayMs, wake);
  abort.addEventListener("abort", wake, { once: true });
  await promise;
  abort.removeEventListener("abort", wake);
  cancel();
}
