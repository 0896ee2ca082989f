import type { Cancel, Clock } from "../system/clock.ts";

/** How many are polled at once before they are spread over the interval. */
const batchSize = 25;
/** The shortest time between two wake-ups. */
const shortestPauseMs = 50;

/**
 * Calls `poll` for every member once in `pollMs`, for ever, on one timer. Few members are polled together, so that a
 * process at rest wakes once in an interval; many are spread evenly over it.
 */
export function schedulePolls<T>(
  clock: Clock,
  pollMs: number,
  members: readonly T[],
  poll: (member: T) => void,
): Cancel {
  const slots = Math.max(1, Math.min(Math.ceil(members.length / batchSize), Math.floor(pollMs / shortestPauseMs)));
  let slot = 0;
  let cancel: Cancel | undefined;
  const arm = (): void => {
    cancel = clock.after(pollMs / slots, () => {
      const due = members.filter((_, index) => index % slots === slot);
      slot = (slot + 1) % slots;
      arm();
      for (const member of due) poll(member);
    });
  };
  arm();
  return () => cancel?.();
}
