import fc from "fast-check";
import { expect, test } from "vitest";
import { parseEndpoint } from "../../../src/probe/endpoint.ts";
import { schemes } from "../../../src/probe/endpoint-scheme.ts";
import { chooseServerName, firstServerName } from "../../../src/probe/server-name.ts";

/** Texts that look like endpoints more often than chance would have it. */
const pieces = fc.constantFrom(
  ...[
    "tls",
    "smtp",
    "+unix",
    "://",
    ":",
    "/",
    "?",
    "&",
    "=",
    "#",
    "@",
    "[",
    "]",
    "::1",
    "127.0.0.1",
    "a.example",
    "443",
  ],
  ...["servername", "proxy", "v1", "client-cert", "client-key", "%", "%41", "%00", "*", ".", " ", "\u202e", "é"],
);
const likely = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(""));
const texts = fc.oneof(likely, fc.string({ unit: "binary", maxLength: 300 }), fc.webUrl());

test("any text is an endpoint or an issue with a message and a hint, in one harmless line", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parseEndpoint(text);
      if (parsed.kind === "issue") {
        expect(parsed.message).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,400}$/u);
        expect(parsed.hint).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,400}$/u);
        return;
      }
      const { endpoint } = parsed;
      expect(endpoint.socketPath === undefined ? endpoint.host : endpoint.socketPath).not.toBe("");
      expect(endpoint.port).toBeLessThan(65_536);
    }),
    { numRuns: 5000 },
  );
});

test("an endpoint's label stands for the same endpoint", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parseEndpoint(text);
      fc.pre(parsed.kind === "endpoint");
      expect(parseEndpoint(parsed.endpoint.label)).toEqual(parsed);
    }),
    { numRuns: 500 },
  );
});

test("every well-formed address is an endpoint with the default port of its scheme", () => {
  const hosts = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
  );
  fc.assert(
    fc.property(fc.constantFrom(...schemes.keys()), hosts, (scheme, host) => {
      fc.pre(host !== "0.0.0.0" && !/^\[[0:]+\]$/.test(host));
      expect(parseEndpoint(`${scheme}://${host}`)).toMatchObject({
        kind: "endpoint",
        endpoint: {
          ...(schemes.get(scheme) && { scheme: schemes.get(scheme)?.scheme, port: schemes.get(scheme)?.defaultPort }),
        },
      });
    }),
  );
});

test("the name that is sent is always one that RFC 6066 allows", () => {
  const names = fc.array(
    fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ unit: "binary" }),
      fc.domain().map((name) => `*.${name}`),
    ),
  );
  const endpoint = parseEndpoint("127.0.0.1:443");
  fc.assert(
    fc.property(names, (found) => {
      fc.pre(endpoint.kind === "endpoint");
      const name = chooseServerName(endpoint.endpoint, firstServerName(found));
      expect(name ?? "a").toMatch(/^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/);
      expect(name ?? "a").not.toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    }),
  );
});
