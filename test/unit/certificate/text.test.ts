import { expect, test } from "vitest";
import { toDurationText } from "../../../src/certificate/duration-text.ts";
import { quoteForeign } from "../../../src/certificate/foreign-text.ts";

test("foreign text can neither colour, break nor reverse a line", () => {
  expect(quoteForeign("\u001b[31mred\u001b[0m")).toBe('"\\u{1b}[31mred\\u{1b}[0m"');
  expect(quoteForeign("a\r\nb\u0085\u2028c")).toBe('"a\\u{d}\\u{a}b\\u{85}\\u{2028}c"');
  expect(quoteForeign("\u202egnp.exe\u200b\ufeff")).toBe('"\\u{202e}gnp.exe\\u{200b}\\u{feff}"');
  expect(quoteForeign('say "a\\b"')).toBe('"say \\"a\\\\b\\""');
  expect(quoteForeign("Ünïcode Straße 例")).toBe('"Ünïcode Straße 例"');
});

test("foreign text is cut after 200 characters, also within a surrogate pair", () => {
  expect(quoteForeign("x".repeat(300))).toBe(`"${"x".repeat(200)}…"`);
  expect(quoteForeign(`${"x".repeat(199)}😀`)).toBe(`"${"x".repeat(199)}\\u{d83d}…"`);
});

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
