import { expect, test } from "vitest";
import { toDurationText } from "../../../src/certificate/duration-text.ts";

test.each([
  [0, "0s"],
  [999, "0s"],
  [59_999, "59s"],
  [60_000, "1m"],
  [3_661_000, "1h 1m"],
  [86_400_000 + 59_000, "1d"],
  [21 * 86_400_000 + 4 * 3_600_000 + 5000, "21d 4h"],
  [-5000, "5s"],
])("%i ms are %s", (durationMs, text) => {
  expect(toDurationText(durationMs)).toBe(text);
});
