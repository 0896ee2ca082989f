import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  parseChoice,
  parseCount,
  parseDuration,
  parseListenAddress,
  parseSwitch,
} from "../../../src/config/parsers.ts";

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

describe("a duration", () => {
  it("is the sum of its parts", () => {
    const part = fc.tuple(fc.nat(999), fc.constantFrom("ms", "s", "m", "h", "d"));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const text = parts.map(([amount, unit]) => `${amount}${unit}`).join("");
        const value = parts.reduce((sum, [amount, unit]) => sum + amount * unitMs[unit as keyof typeof unitMs], 0);
        expect(parseDuration(text)).toEqual({ kind: "value", value });
      }),
    );
  });

  it("needs a unit", () => {
    expect(parseDuration("5")).toEqual({
      kind: "issue",
      message: '"5" is not a duration',
      hint: "write a number and its unit: 500ms, 10s, 5m, 1h, 21d",
    });
  });
});

describe("any text", () => {
  const parsers = [parseDuration, parseCount(1, 9), parseChoice(["a", "b"]), parseSwitch, parseListenAddress];

  it("is a value or an issue with a hint, never a fault", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const parse of parsers) {
          const parsed = parse(text);
          if (parsed.kind === "issue") expect(parsed.hint).not.toBe("");
          else expect(parsed.value).not.toBeNaN();
        }
      }),
    );
  });
});

describe("an address to listen on", () => {
  it("has a port, and a host if one was written", () => {
    const host = fc.oneof(
      fc.ipV4().map((ip) => [ip, ip]),
      fc.ipV6().map((ip) => [`[${ip}]`, ip]),
      fc.constant(["", undefined]),
    );
    fc.assert(
      fc.property(host, fc.nat(65_535), ([written, meant], port) => {
        expect(parseListenAddress(`${written}:${port}`)).toEqual({ kind: "value", value: { host: meant, port } });
      }),
    );
  });
});
