import { inspect } from "node:util";

/** How long and how often {@link until} looks. */
export interface UntilOptions {
  /** Milliseconds until it gives up; 10,000 when absent. */
  readonly timeoutMs?: number;
  /** Milliseconds between two looks; 20 when absent. */
  readonly everyMs?: number;
  /** What is waited for, for the message of the failure. */
  readonly what?: string;
}

/**
 * Reads again and again until the value satisfies the predicate, and returns that value. A `read` that throws counts
 * as "not yet".
 *
 * @throws Error once the time is over, with the last value seen and the last error thrown
 */
export async function until<T>(
  read: () => T | Promise<T>,
  predicate: (value: T) => boolean,
  options: UntilOptions = {},
): Promise<T> {
  const { timeoutMs = 10_000, everyMs = 20, what = predicate.toString() } = options;
  const deadline = performance.now() + timeoutMs;
  let lastSeen = "nothing yet";
  let lastError: unknown;
  do {
    try {
      const value = await read();
      if (predicate(value)) {
        return value;
      }
      lastSeen = inspect(value, { depth: 6, breakLength: 120 });
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  } while (performance.now() < deadline);
  const thrown = lastError === undefined ? "" : `\nlast error: ${inspect(lastError)}`;
  throw new Error(`waited ${timeoutMs} ms for ${what}\nlast seen: ${lastSeen}${thrown}`, { cause: lastError });
}
