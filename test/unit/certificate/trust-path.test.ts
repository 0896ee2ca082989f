import { X509Certificate } from "node:crypto";
import process from "node:process";
import { beforeAll, expect, test } from "vitest";
import { isSelfSigned } from "../../../src/certificate/issuer-chain.ts";
import { leadsToAnchor } from "../../../src/certificate/trust-path.ts";
import { createAuthority } from "../../support/certificates.ts";
import { splitPem } from "../../vectors/kit.ts";

let leaf: X509Certificate;
let intermediates: readonly X509Certificate[];
let root: X509Certificate;
let namesake: X509Certificate;

beforeAll(async () => {
  const { certificatePem, caPem } = await createAuthority().issue({ names: ["a.example"], intermediates: 2 });
  const [first, ...others] = splitPem(certificatePem).map((block) => new X509Certificate(block));
  root = new X509Certificate(caPem);
  leaf = first ?? root;
  intermediates = others;
  namesake = new X509Certificate(await createAuthority().caPem());
});

test("a path leads through the intermediates to the root, in whatever order they are", () => {
  expect(leadsToAnchor(leaf, intermediates, [root])).toBe(true);
  expect(leadsToAnchor(leaf, [...intermediates].reverse(), [namesake, root])).toBe(true);
});

test("an intermediate or the leaf itself can be the anchor", () => {
  expect(leadsToAnchor(leaf, [], intermediates.slice(0, 1))).toBe(true);
  expect(leadsToAnchor(leaf, [], [leaf])).toBe(true);
});

test("no path leads over a gap or to an authority that only has the same name", () => {
  expect(leadsToAnchor(leaf, intermediates.slice(1), [root])).toBe(false);
  expect(leadsToAnchor(leaf, intermediates, [namesake])).toBe(false);
  expect(leadsToAnchor(leaf, intermediates, [])).toBe(false);
});

test("a hundred certificates that could have issued one another are given up on quickly", async () => {
  const roots = await Promise.all(Array.from({ length: 100 }, () => createAuthority().caPem()));
  const crowd = roots.map((pem) => new X509Certificate(pem));
  const start = process.cpuUsage();
  expect(leadsToAnchor(leaf, [...intermediates, ...crowd], crowd)).toBe(false);
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000);
});

test("a certificate of the same subject and issuer is self-signed only by its own signature", async () => {
  const { certificatePem } = await createAuthority({ name: "x" }).issue({ names: [], commonName: "x" });
  expect(isSelfSigned(new X509Certificate(certificatePem))).toBe(false);
  expect(isSelfSigned(root)).toBe(true);
  expect(isSelfSigned(leaf)).toBe(false);
});
