import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeForeign } from "../../../src/system/escape.ts";

test("whatever goes in, one harmless line of the wanted length comes out", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.nat({ max: 60 }), (text, maxLength) => {
      const escaped = escapeForeign(text, maxLength);
      expect(escaped.length).toBeLessThanOrEqual(maxLength);
      expect(escaped).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }),
    { numRuns: 2000 },
  );
});

test("a printable text that fits stays as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
      expect(escapeForeign(text, text.length)).toBe(text);
    }),
  );
});
