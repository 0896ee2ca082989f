import { expect, test } from "vitest";
import type { CertificateFacts } from "../../../src/core/certificate-facts.ts";
import { type Keypair, readKeypairFacts } from "../../../src/keypair/keypair.ts";
import type { KeypairPolicy } from "../../../src/keypair/keypair-policy.ts";
import { parseKeypair } from "../../../src/keypair/parse-keypair.ts";
import { validateKeypair } from "../../../src/keypair/validate-keypair.ts";
import { createAuthority, type IssueOptions } from "../../support/certificates.ts";
import { defaultKeypairPolicy } from "../../support/keypair-policy.ts";

const dayMs = 86_400_000;
const nowMs = Date.UTC(2027, 0, 1);
const authority = createAuthority();

async function issue(options: Partial<IssueOptions> = {}): Promise<Keypair> {
  const dates = { notBefore: new Date(nowMs - dayMs), notAfter: new Date(nowMs + 90 * dayMs) };
  const { certificatePem, keyPem } = await authority.issue({ names: ["a.example"], ...dates, ...options });
  const parsed = parseKeypair({ certificate: Buffer.from(certificatePem), key: Buffer.from(keyPem) });
  if (parsed.kind !== "parsed") {
    throw new Error("the pair is not usable");
  }
  return parsed.keypair;
}

function judge(
  keypair: Keypair,
  served: CertificateFacts | undefined,
  policy: Partial<KeypairPolicy> = {},
): readonly string[] {
  const findings = validateKeypair(keypair, { ...defaultKeypairPolicy, ...policy }, nowMs, served);
  return findings.map(({ code, severity }) => `${severity} ${code}`);
}

test("a renewal of the served certificate gets no finding", async () => {
  const served = await issue();
  const renewed = await issue({ notBefore: new Date(nowMs - 1000), notAfter: new Date(nowMs + 91 * dayMs) });
  expect(judge(renewed, readKeypairFacts(served))).toEqual([]);
});

test("the served pair itself gets no finding", async () => {
  const pair = await issue();
  expect(judge(pair, readKeypairFacts(pair))).toEqual([]);
});

test("a renewal with the same key is no rollback and no other key type", async () => {
  const { keyPem } = await authority.issue({ names: ["a.example"] });
  const served = await issue({ keyPem });
  const renewed = await issue({ keyPem, notBefore: new Date(nowMs - 1000), notAfter: new Date(nowMs + 91 * dayMs) });
  expect(readKeypairFacts(renewed).publicKeyFingerprint).toBe(readKeypairFacts(served).publicKeyFingerprint);
  expect(judge(renewed, readKeypairFacts(served))).toEqual([]);
});

test("an older certificate than the served one is let through with the warnings of a rollback", async () => {
  const served = await issue();
  const older = await issue({ notBefore: new Date(nowMs - 30 * dayMs), notAfter: new Date(nowMs + 60 * dayMs) });
  expect(judge(older, readKeypairFacts(served))).toEqual(["warn rollback", "warn ends-before-served"]);
});

test("another key type than the served one is let through with a warning", async () => {
  const served = await issue({ keyType: "rsa-2048" });
  expect(judge(await issue(), readKeypairFacts(served))).toEqual(["warn key-type-changed"]);
});

test("a self-signed certificate does not replace a valid one from an authority, unless allowed", async () => {
  const served = readKeypairFacts(await issue());
  const temporary = await issue({ selfSigned: true });
  expect(judge(temporary, served)).toEqual(["refuse temporary-self-signed"]);
  expect(judge(temporary, served, { allowExpired: true })).toEqual(["warn temporary-self-signed"]);
});

test("a self-signed certificate passes where nothing valid or only a self-signed one is served", async () => {
  const temporary = await issue({ selfSigned: true });
  const ended = await issue({ notBefore: new Date(nowMs - 9 * dayMs), notAfter: new Date(nowMs - dayMs) });
  const selfSigned = await issue({ selfSigned: true });
  expect(judge(temporary, undefined)).toEqual([]);
  expect(judge(temporary, readKeypairFacts(ended))).toEqual([]);
  expect(judge(temporary, readKeypairFacts(selfSigned))).toEqual([]);
});

test("an expired temporary self-signed certificate is refused for both reasons", async () => {
  const served = readKeypairFacts(await issue());
  const expired = await issue({
    selfSigned: true,
    commonName: "cert-manager.local",
    notBefore: new Date(nowMs - 2 * dayMs),
    notAfter: new Date(nowMs - dayMs),
  });
  expect(judge(expired, served)).toEqual([
    "refuse expired",
    "refuse temporary-self-signed",
    "warn rollback",
    "warn ends-before-served",
  ]);
});

test("an expired pair is refused whatever is served, and the message says when nothing valid is", async () => {
  const served = readKeypairFacts(await issue());
  const expired = await issue({ notBefore: new Date(nowMs - 9 * dayMs), notAfter: new Date(nowMs - dayMs) });
  const messageOf = (facts: CertificateFacts | undefined): string | undefined =>
    validateKeypair(expired, defaultKeypairPolicy, nowMs, facts)[0]?.message;
  const ended = "the leaf ended at 2026-12-31T00:00:00.000Z, 1d ago";
  expect(messageOf(served)).toBe(ended);
  expect(messageOf(undefined)).toBe(`${ended}; no valid certificate is known to be served either`);
  expect(judge(expired, served, { allowExpired: true })).toContain("warn expired");
});
