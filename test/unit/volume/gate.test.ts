import { expect, test } from "vitest";
import { createGate } from "../../../src/volume/gate.ts";

test("no more tasks run at once than are let in, each runs once, and results and failures come back", async () => {
  const gate = createGate(3);
  let running = 0;
  let most = 0;
  const task = async (index: number): Promise<number> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    if (index === 5) throw new Error("five");
    return index;
  };
  const results = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => gate(() => task(index))));
  expect(most).toBe(3);
  expect(results.map((result) => (result.status === "fulfilled" ? result.value : result.reason.message))).toEqual([
    0,
    1,
    2,
    3,
    4,
    "five",
    6,
    7,
    8,
    9,
  ]);
  expect(await gate(() => task(11))).toBe(11);
});
