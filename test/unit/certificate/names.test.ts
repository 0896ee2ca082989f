import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { parseSubjectAltName, toCanonicalIp } from "../../../src/certificate/names.ts";
import { coversName } from "../../../src/certificate/server-name.ts";
import { createAuthority } from "../../support/certificates.ts";

test("names that imitate the printed form come back as they were issued", async () => {
  const names = ["a.example, DNS:b.example", 'quo"te\\', "line\nbreak", "nul\0", "\u202e", "plain.example", "a:b"];
  const { certificatePem } = await createAuthority().issue({ names: names.map((name) => name.replace("\u202e", "~")) });
  const printed = new X509Certificate(certificatePem).subjectAltName;
  expect(parseSubjectAltName(printed)).toEqual(names.map((name) => name.replace("\u202e", "~")));
});

test("entries of other types are left out, whatever is in them", () => {
  const printed =
    'DNS:a.example, URI:"http://x/, DNS:evil.example", email:a@a.example, IP Address:192.0.2.1, ' +
    'DirName:"CN = \\"b\\u002c DNS:evil.example\\"", othername:<unsupported>, IP Address:<invalid length=5>, DNS:b.example';
  expect(parseSubjectAltName(printed)).toEqual(["a.example", "192.0.2.1", "b.example"]);
});

test("an absent, empty or broken extension has no names, and never throws", () => {
  for (const printed of [undefined, "", "DNS", 'DNS:"', 'DNS:"a', 'DNS:"\\', ":", ", , "]) {
    expect(parseSubjectAltName(printed)).toEqual([]);
  }
});

test("IPv6 addresses are compared by value", () => {
  expect(toCanonicalIp("2001:DB8:0:0:0:0:0:1")).toBe("2001:db8::1");
  expect(toCanonicalIp("192.0.2.1")).toBe("192.0.2.1");
  expect(coversName(["2001:db8::1"], "2001:0db8:0000::0001")).toBe(true);
});

test.each([
  ["a.example", "a.example", true],
  ["a.example", "A.Example.", true],
  ["A.EXAMPLE", "a.example", true],
  ["a.example", "b.example", false],
  ["a.example", "x.a.example", false],
  ["*.a.example", "x.a.example", true],
  ["*.a.example", "X.A.example", true],
  ["*.a.example", "a.example", false],
  ["*.a.example", "x.y.a.example", false],
  ["*.a.example", ".a.example", false],
  ["*.a.example", "*.a.example", true],
  ["x.a.example", "*.a.example", false],
  ["*.example", "*.a.example", false],
  ["f*.a.example", "foo.a.example", false],
  ["*", "localhost", false],
  ["*.", "a.", false],
  ["192.0.2.1", "192.0.2.1", true],
  ["*.0.2.1", "192.0.2.1", false],
  ["xn--bcher-kva.example", "bücher.example", true],
  ["*.bücher.example", "a.xn--bcher-kva.example", true],
  ["webhook.system.svc", "webhook.system.svc", true],
  ["webhook.system.svc", "webhook.system.svc.cluster.local", false],
  ["a_b.example", "a_b.example", true],
])("a certificate for %s asked for %s: %s", (name, wanted, expected) => {
  expect(coversName([name], wanted)).toBe(expected);
});
