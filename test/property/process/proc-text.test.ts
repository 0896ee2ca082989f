import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseProcessStat, parseProcessStatus, splitCommandLine } from "../../../src/process/process-files.ts";
import { parseSignal } from "../../../src/process/signals.ts";

const comm = fc.string({ unit: fc.constantFrom(..."ab() \n)RS0"), maxLength: 15 });

describe("stat", () => {
  test("gives back what the kernel wrote, whatever the name looks like", () => {
    fc.assert(
      fc.property(fc.record({ comm, ppid: fc.nat(), processGroup: fc.nat(), startTime: fc.nat() }), (expected) => {
        const before = `S ${expected.ppid} ${expected.processGroup} 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0`;
        const text = `4711 (${expected.comm}) ${before} ${expected.startTime} 0 0\n`;
        expect(parseProcessStat(Buffer.from(text))).toEqual({ ...expected, state: "S", isKernelThread: false });
      }),
    );
  });

  test("of any bytes is read without a throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        parseProcessStat(buffer);
        parseProcessStatus(buffer.toString("latin1"));
        expect(splitCommandLine(buffer).every((argument) => !argument.includes("\0"))).toBe(true);
      }),
    );
  });
});

test("a signal is one by each of its spellings, or by none", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 8 }), (text) => {
      const parsed = parseSignal(text);
      if (parsed.kind === "issue") return;
      const { name, number } = parsed;
      for (const spelling of [name, name.slice(3), name.toLowerCase()]) {
        expect(parseSignal(spelling)).toEqual({ kind: "signal", name, number });
      }
    }),
  );
});
