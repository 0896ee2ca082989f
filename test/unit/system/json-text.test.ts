import { expect, test } from "vitest";
import { escapeJson, toJsonText } from "../../../src/system/json-text.ts";

test("controls, format and bidi characters are written as escapes, and letters of any language stay", () => {
  expect(toJsonText({ name: "a\u202e\u009b\u007f\u2028\u200b Zürich 例え 😀" })).toBe(
    '{\n  "name": "a\\u202e\\u009b\\u007f\\u2028\\u200b Zürich 例え 😀"\n}\n',
  );
});

test("a character beyond the basic plane is written as its two halves", () => {
  expect(toJsonText(["\u{e0041}"])).toBe('[\n  "\\udb40\\udc41"\n]\n');
});

test("a line of JSON keeps its line end", () => {
  expect(escapeJson('{"a":"\u202e"}\n')).toBe('{"a":"\\u202e"}\n');
});
