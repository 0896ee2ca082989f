import { expect, test } from "vitest";
import { createHintBurst, type HintBurst } from "../../../src/volume/hint-burst.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";

function createRecorded(): { clock: ManualClock; burst: HintBurst; hintsMs: number[]; quietMs: number[] } {
  const clock = createManualClock();
  const hintsMs: number[] = [];
  const quietMs: number[] = [];
  const burst = createHintBurst(
    clock,
    () => hintsMs.push(clock.now().monotonicMs),
    () => quietMs.push(clock.now().monotonicMs),
  );
  return { clock, burst, hintsMs, quietMs };
}

test("one event gives one hint, at once, and leaves no timer behind", () => {
  const { clock, burst, hintsMs, quietMs } = createRecorded();
  burst.push();
  expect(hintsMs).toEqual([0]);
  clock.advance(1000);
  expect(hintsMs).toEqual([0]);
  expect(quietMs).toEqual([10]);
  expect(clock.pending()).toBe(0);
});

test("the six events of a swap give a hint for the first and one after the last", () => {
  const { clock, burst, hintsMs, quietMs } = createRecorded();
  for (let event = 0; event < 6; event++) {
    burst.push();
    clock.advance(1);
  }
  clock.advance(1000);
  expect(hintsMs).toEqual([0, 10]);
  expect(quietMs).toEqual([30]);
});

test("two bursts apart are each told at once", () => {
  const { clock, burst, hintsMs } = createRecorded();
  burst.push();
  clock.advance(500);
  burst.push();
  clock.advance(500);
  expect(hintsMs).toEqual([0, 500]);
});

test("a storm gives few hints, none of them far from the next, and one after its end", () => {
  const { clock, burst, hintsMs, quietMs } = createRecorded();
  for (let ms = 0; ms < 10_000; ms++) {
    burst.push();
    clock.advance(1);
  }
  expect(hintsMs.length).toBeLessThan(70);
  for (const [index, ms] of hintsMs.entries()) expect(ms - (hintsMs[index - 1] ?? 0)).toBeLessThanOrEqual(160);
  expect(quietMs).toEqual([]);
  clock.advance(1000);
  expect(hintsMs.at(-1)).toBeGreaterThanOrEqual(10_000);
  expect(quietMs).toHaveLength(1);
});

test("after it is closed no hint comes", () => {
  const { clock, burst, hintsMs, quietMs } = createRecorded();
  burst.push();
  burst.push();
  burst.close();
  clock.advance(1000);
  expect(hintsMs).toEqual([0]);
  expect(quietMs).toEqual([]);
});
