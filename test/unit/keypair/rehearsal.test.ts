import { createPrivateKey } from "node:crypto";
import { expect, test } from "vitest";
import { encodePrivateKey } from "../../../src/keypair/encode-pem.ts";
import type { Keypair } from "../../../src/keypair/keypair.ts";
import { parseKeypair } from "../../../src/keypair/parse-keypair.ts";
import { rehearse } from "../../../src/keypair/rehearsal.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { createAuthority, type IssueOptions } from "../../support/certificates.ts";
import { readVector } from "../../vectors/read-vector.ts";

const clock = systemClock;
const authority = createAuthority();

async function issue(options: Partial<IssueOptions> = {}, ca?: string): Promise<Keypair> {
  const issued = await authority.issue({ names: ["a.example", "*.b.example", "192.0.2.1", "2001:db8::1"], ...options });
  return parse({ ...issued, caPem: ca ?? issued.caPem });
}

function parse(pair: { certificatePem: string; keyPem: string; caPem: string }): Keypair {
  const parsed = parseKeypair({
    certificate: Buffer.from(pair.certificatePem),
    key: Buffer.from(pair.keyPem),
    ca: Buffer.from(pair.caPem),
  });
  if (parsed.kind !== "parsed") {
    throw new Error(`the pair is not usable: ${JSON.stringify(parsed.findings)}`);
  }
  return parsed.keypair;
}

test.each(["ec-p256", "ec-p384", "ec-p521", "rsa-2048", "ed25519"] as const)(
  "clients of TLS 1.2 and 1.3 connect to a pair with a key of type %s",
  async (keyType) => {
    const requireNames = ["a.example", "x.b.example", "*.b.example", "192.0.2.1", "2001:DB8:0::1"];
    expect(await rehearse(await issue({ keyType, intermediates: 1 }), { clock, requireNames })).toEqual([]);
  },
);

test("a client that asks for a name which the leaf doesn't have rejects it", async () => {
  const findings = await rehearse(await issue(), { clock, requireNames: ["a.example", "x.y.b.example", "192.0.2.2"] });
  expect(findings.map(({ message }) => message)).toEqual([
    'a client that asks for "x.y.b.example" rejects the leaf',
    'a client that asks for "192.0.2.2" rejects the leaf',
  ]);
});

test("a client that trusts another authority rejects the chain: a warning, or a refusal where trust is required", async () => {
  const pair = await issue({}, await createAuthority({ name: "another" }).caPem());
  const expected = {
    code: "rehearsal-untrusted",
    message:
      "a client that trusts the CA file rejects the chain: " +
      "an issuer is neither in the chain nor in the CA file (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)",
  };
  expect(await rehearse(pair, { clock })).toEqual([{ ...expected, severity: "warn" }]);
  expect(await rehearse(pair, { clock, requireTrust: true })).toEqual([{ ...expected, severity: "refuse" }]);
});

test("what validation found already is not said again", async () => {
  const pair = await issue({}, await createAuthority({ name: "another" }).caPem());
  const known = [{ code: "untrusted", severity: "warn" as const, message: "" }];
  expect(await rehearse(pair, { clock, known })).toEqual([]);
});

test("an RSA key of 1024 bits reaches no client, unless servers at security level 0 are meant", async () => {
  const pair = await issue({ keyType: "rsa-1024" });
  expect((await rehearse(pair, { clock })).map(({ code }) => code)).toEqual(["rehearsal-refused"]);
  expect(await rehearse(pair, { clock, allowWeak: true })).toEqual([]);
});

test("a key that doesn't belong to the leaf reaches no client", async () => {
  const pair = await issue();
  const other = await issue({ keyType: "rsa-2048" });
  const codes = (await rehearse({ ...pair, privateKey: other.privateKey }, { clock })).map(({ code }) => code);
  expect(codes).toEqual(["rehearsal-refused"]);
});

test("a trusted leaf on a curve without a NIST name does not end the process", async () => {
  const { certificate, key } = readVector("key-brainpool");
  const pair = parse({
    certificatePem: Buffer.from(certificate).toString(),
    keyPem: Buffer.from(key ?? []).toString(),
    caPem: Buffer.from(certificate).toString(),
  });
  const codes = (await rehearse(pair, { clock, requireNames: ["a.example"] })).map(({ code }) => code);
  expect(codes).toEqual(["rehearsal-tls12"]);
});

test("without a key there is nothing to rehearse", async () => {
  expect(await rehearse({ ...(await issue()), privateKey: undefined }, { clock })).toEqual([]);
});

test.each(["ec-p256", "rsa-2048", "rsa-3072", "ed25519"] as const)(
  "the %s key that the rehearsal loads is the text that OpenSSL would write",
  async (keyType) => {
    const { keyPem } = await authority.issue({ names: ["a.example"], keyType });
    expect(encodePrivateKey(createPrivateKey(keyPem)).toString()).toBe(keyPem);
  },
);
