import { describe, expect, test } from "vitest";
import { escapeForeign, quoteForeign } from "../../../src/system/escape.ts";

describe("escapeForeign", () => {
  test.each([
    ["an escape sequence", "\u001b[31mred", "\\x1b[31mred"],
    ["a new line", "a\r\nb\u0000", "a\\x0d\\x0ab\\x00"],
    ["C1 controls", "\u009b2J", "\\x9b2J"],
    ["a turned reading direction", "gpj\u202eexe.example", "gpj\\u{202e}exe.example"],
    ["zero-width characters", "pay\u200bpal\ufeff", "pay\\u{200b}pal\\u{feff}"],
    ["line and paragraph separators", "a\u2028b\u2029", "a\\u{2028}b\\u{2029}"],
    ["a lone surrogate", "a\ud800b", "a\\u{d800}b"],
    ["invisible tags", "a\u{e0041}", "a\\u{e0041}"],
  ])("shows %s", (_what, text, shown) => {
    expect(escapeForeign(text, 100)).toBe(shown);
  });

  test("leaves the letters of any language as they are", () => {
    expect(escapeForeign("CN=Zürich, O=例え 😀", 100)).toBe("CN=Zürich, O=例え 😀");
  });

  test("cuts a longer text and says so, never inside an escape", () => {
    expect(escapeForeign("abcdef", 6)).toBe("abcdef");
    expect(escapeForeign("abcdefg", 6)).toBe("abcde…");
    expect(escapeForeign("abcd\u001b", 6)).toBe("abcd…");
    expect(escapeForeign("😀😀😀", 4)).toBe("😀…");
    expect(escapeForeign("abc", 0)).toBe("");
  });
});

describe("quoteForeign", () => {
  test("lets a text neither colour, break nor reverse a line, nor end its quotes", () => {
    expect(quoteForeign("\u001b[31mred\u202e\r\n")).toBe('"\\x1b[31mred\\u{202e}\\x0d\\x0a"');
    expect(quoteForeign('say "a\\b"')).toBe('"say \\"a\\\\b\\""');
    expect(quoteForeign("Ünïcode Straße 例")).toBe('"Ünïcode Straße 例"');
  });

  test("cuts after two hundred characters, never inside a pair of surrogates", () => {
    expect(quoteForeign("x".repeat(300))).toBe(`"${"x".repeat(199)}…"`);
    expect(quoteForeign(`${"x".repeat(198)}😀😀`)).toBe(`"${"x".repeat(198)}…"`);
  });
});
