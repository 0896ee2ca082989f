import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseArgumentList } from "../../../src/reload/argument-list.ts";
import { createOutputTail, quoteEnd, quoteStart } from "../../../src/reload/command-output.ts";

const word = fc.string({ unit: "binary", maxLength: 20 }).filter((text) => !text.includes("\0"));
const command = fc.array(word, { minLength: 1, maxLength: 6 }).filter(([program]) => program !== "");

describe("an argument list", () => {
  test("comes back from a JSON array", () => {
    fc.assert(
      fc.property(command, (words) => {
        expect(parseArgumentList(JSON.stringify(words))).toEqual({ kind: "arguments", command: words });
      }),
    );
  });

  test("comes back from words in single quotes", () => {
    fc.assert(
      fc.property(command, (words) => {
        const text = words.map((text) => `'${text.replaceAll("'", `'"'"'`)}'`).join(" ");
        expect(parseArgumentList(text)).toEqual({ kind: "arguments", command: words });
      }),
    );
  });

  test("comes back from words in double quotes", () => {
    fc.assert(
      fc.property(command, (words) => {
        const text = words.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(" ");
        expect(parseArgumentList(text)).toEqual({ kind: "arguments", command: words });
      }),
    );
  });

  test("is read from any text without a throw", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const parsed = parseArgumentList(text);
        if (parsed.kind === "arguments") expect(parsed.command[0]).not.toBe("");
      }),
    );
  });
});

describe("the output of a command", () => {
  test("is kept at its end, however it is cut into pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme-ascii", maxLength: 50 }), { maxLength: 60 }), (pieces) => {
        const tail = createOutputTail(100);
        for (const piece of pieces) tail.add(Buffer.from(piece));
        expect(tail.text()).toBe(pieces.join("").slice(-100));
      }),
    );
  });

  test("is quoted in one line without control characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (text) => {
        for (const quoted of [quoteStart(text), quoteEnd(text)]) expect(quoted).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
