import fc from "fast-check";
import { expect, test } from "vitest";
import { toJsonText } from "../../../src/system/json-text.ts";

test("whatever goes in comes back, and nothing in between acts on who reads it", () => {
  const text = fc.string({ unit: "binary", maxLength: 200 });
  fc.assert(
    fc.property(fc.dictionary(text, fc.array(text)), (value) => {
      const json = toJsonText(value);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(json).not.toMatch(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/u);
    }),
    { numRuns: 500 },
  );
});
