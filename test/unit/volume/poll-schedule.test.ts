import { expect, test } from "vitest";
import { schedulePolls } from "../../../src/volume/poll-schedule.ts";
import { createManualClock } from "./manual-clock.ts";

/** How many are polled at each wake-up within `forMs`. */
function pollsOf(count: number, pollMs: number, forMs: number): { wakeUps: Map<number, number>; byMember: number[] } {
  const clock = createManualClock();
  const wakeUps = new Map<number, number>();
  const byMember = new Array<number>(count).fill(0);
  const members = Array.from({ length: count }, (_, index) => index);
  schedulePolls(clock, pollMs, members, (member) => {
    const ms = clock.now().monotonicMs;
    wakeUps.set(ms, (wakeUps.get(ms) ?? 0) + 1);
    byMember[member] = (byMember[member] ?? 0) + 1;
  });
  clock.advance(forMs);
  return { wakeUps, byMember };
}

test("a few are polled together, once in an interval", () => {
  const { wakeUps } = pollsOf(3, 10_000, 30_000);
  expect([...wakeUps]).toEqual([
    [10_000, 3],
    [20_000, 3],
    [30_000, 3],
  ]);
});

test("500 are spread over the interval, each once in it", () => {
  const { wakeUps, byMember } = pollsOf(500, 10_000, 30_000);
  expect(new Set(wakeUps.values())).toEqual(new Set([25]));
  expect(wakeUps.size).toBe(60);
  expect(new Set(byMember)).toEqual(new Set([3]));
});

test("a short interval is never cut into pieces that keep the process busy", () => {
  const { wakeUps, byMember } = pollsOf(500, 100, 1000);
  expect(wakeUps.size).toBe(20);
  expect(new Set(byMember)).toEqual(new Set([10]));
});

test("after it is cancelled nothing is polled", () => {
  const clock = createManualClock();
  let polls = 0;
  const cancel = schedulePolls(clock, 1000, ["one"], () => {
    polls += 1;
  });
  clock.advance(1000);
  cancel();
  clock.advance(10_000);
  expect(polls).toBe(1);
  expect(clock.pending()).toBe(0);
});
