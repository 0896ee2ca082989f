import { describe, expect, test } from "vitest";
import { parseHeader, parseReloadUrl, parseStatusRanges } from "../../../src/reload/http-options.ts";

describe("the address", () => {
  test.each(["http://127.0.0.1:9090/-/reload", "https://[::1]:8443/reload?now=1", "http://localhost"])(
    "may be %s",
    (text) => {
      expect(parseReloadUrl(text)).toEqual({ kind: "url", url: new URL(text) });
    },
  );

  test.each([
    ["127.0.0.1:9090/-/reload", "it is no URL"],
    ["", "it is no URL"],
    ["/-/reload", "it is no URL"],
    ["ftp://a/", "the scheme ftp: is neither http: nor https:"],
    ["localhost:9090", "the scheme localhost: is neither http: nor https:"],
  ])("may not be %j", (text, message) => {
    expect(parseReloadUrl(text)).toMatchObject({ kind: "issue", message });
  });

  test("may hold no credentials, and doesn't show those it holds", () => {
    const parsed = parseReloadUrl("http://admin:hunter2@127.0.0.1/");
    expect(parsed).toMatchObject({ kind: "issue", hint: expect.stringContaining("file") });
    expect(JSON.stringify(parsed)).not.toMatch(/admin|hunter2/);
  });
});

describe("statuses", () => {
  test.each([
    ["200", [{ from: 200, to: 200 }]],
    ["200-299", [{ from: 200, to: 299 }]],
    [
      " 200 - 204 , 304",
      [
        { from: 200, to: 204 },
        { from: 304, to: 304 },
      ],
    ],
  ])("are read from %j", (text, ranges) => {
    expect(parseStatusRanges(text)).toEqual({ kind: "ranges", ranges });
  });

  test.each(["", "2xx", "299-200", "100", "600", "200-", "-200", "200,,204", "20", "0200"])("are not %j", (text) => {
    expect(parseStatusRanges(text)).toMatchObject({ kind: "issue", hint: expect.stringContaining("200-299") });
  });
});

describe("a header", () => {
  test.each([
    ["X-Reload: yes", ["X-Reload", "yes"]],
    ["Content-Type:application/json", ["Content-Type", "application/json"]],
    ["X-Empty:", ["X-Empty", ""]],
    ["X-Colons: a: b ", ["X-Colons", "a: b"]],
  ])("is read from %j", (text, header) => {
    expect(parseHeader(text)).toEqual({ kind: "header", header });
  });

  test.each([
    "",
    "X-Reload",
    ": yes",
    "X Reload: yes",
    "X-Reload: yes\r\nX-Injected: no",
    "X-Reload: \u0000",
    "X-Ü: a",
  ])("is not %j", (text) => {
    expect(parseHeader(text)).toMatchObject({ kind: "issue" });
  });
});
