import { createHash, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { createAuthority, type IssuedCertificate } from "../../support/certificates.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { startTlsServer } from "../../support/tls-server.ts";
import { probe } from "../../support/tls-server-probe.ts";

const authority = createAuthority();
let pair: IssuedCertificate;
let blocks: readonly string[];

beforeAll(async () => {
  pair = await authority.issue({ names: ["a.example"], intermediates: 2 });
  blocks = pair.certificatePem.split(/(?<=-----END CERTIFICATE-----\n)/);
});

function digest(block: string | undefined): string {
  return createHash("sha256")
    .update(new X509Certificate(block ?? "").raw)
    .digest("hex");
}

async function probeChain(cert: string, expectedChain?: readonly string[]): Promise<readonly string[]> {
  await using server = await startTlsServer(pair, { cert });
  const result = await probe(server.address, { expectedChain });
  return result.kind === "served" ? result.certificate.chain : [result.reason];
}

test("the chain is followed from the leaf upwards", async () => {
  const [leaf = "", lower = "", upper = ""] = blocks;
  expect(await probeChain(leaf + lower + upper)).toEqual([leaf, lower, upper].map(digest));
});

test("a chain out of order is seen whole where the volume has it, each time", async () => {
  const [leaf = "", lower = "", upper = ""] = blocks;
  const expected = [leaf, lower, upper].map(digest);
  for (let round = 0; round < 3; round++) {
    expect(await probeChain(leaf + upper + lower, expected)).toEqual(expected);
  }
});

test("an intermediate that the volume has and the server leaves out is missed", async () => {
  const other = await authority.issue({ names: ["a.example"], intermediates: 2 });
  const [leaf = "", lower = "", upper = ""] = other.certificatePem.split(/(?<=-----END CERTIFICATE-----\n)/);
  await using server = await startTlsServer(other, { cert: leaf + lower });
  expect(await probe(server.address, { expectedChain: [leaf, lower, upper].map(digest) })).toMatchObject({
    certificate: { chain: [leaf, lower].map(digest) },
  });
});

test("the root, repeated and unrelated certificates make no difference", async () => {
  const unrelated = await createAuthority({ name: "unrelated" }).caPem();
  const expected = blocks.filter((block) => block.includes("BEGIN")).map(digest);
  expect(await probeChain(pair.certificatePem + pair.caPem)).toEqual(expected);
  expect(await probeChain(pair.certificatePem + unrelated + pair.certificatePem + pair.caPem)).toEqual(expected);
});

test("a self-signed certificate is a chain of one", async () => {
  const selfSigned = await authority.issue({ names: ["a.example"], selfSigned: true });
  await using server = await startTlsServer(selfSigned);
  expect(await probe(server.address)).toMatchObject({ certificate: { chain: [selfSigned.fingerprint] } });
});

test("two authorities that certify each other don't lead in a circle", async () => {
  const first = await createAuthority({ name: "same name" }).issue({ names: ["a.example"], intermediates: 1 });
  const second = await createAuthority({ name: "same name" }).issue({ names: ["a.example"], intermediates: 1 });
  await using server = await startTlsServer(first, {
    cert: first.certificatePem + second.caPem + first.caPem + second.certificatePem,
  });
  expect(await probe(server.address)).toMatchObject({ certificate: { fingerprint: first.fingerprint } });
});

test("a chain-only renewal is seen at the next probe", async () => {
  const [leaf = "", lower = "", upper = ""] = blocks;
  const expected = [leaf, lower, upper].map(digest);
  await using server = await startTlsServer(pair, { cert: leaf + lower });
  const chainOf = async (): Promise<unknown> => (await probe(server.address, { expectedChain: expected })) as unknown;
  expect(await chainOf()).toMatchObject({ certificate: { chain: expected.slice(0, 2) } });
  server.serve({ cert: leaf + lower + upper, key: pair.keyPem });
  expect(await chainOf()).toMatchObject({ certificate: { chain: expected } });
});

test("a chain that nobody expects is read anew after a quarter of an hour, and not before, however often it is asked for", async () => {
  const [leaf = "", lower = "", upper = ""] = blocks;
  const clock = createManualClock(Date.now());
  await using server = await startTlsServer(pair, { cert: leaf + lower });
  const chainOf = async (): Promise<unknown> => (await probe(server.address, { clock })) as unknown;
  await chainOf();
  server.serve({ cert: leaf + lower + upper, key: pair.keyPem });
  clock.pass(15 * 60_000 - 1);
  for (let round = 0; round < 61; round++) {
    expect(await chainOf()).toMatchObject({ certificate: { chain: [leaf, lower].map(digest) } });
  }
  clock.pass(1);
  expect(await chainOf()).toMatchObject({ certificate: { chain: [leaf, lower, upper].map(digest) } });
});

test("a key on a curve without a NIST name does no harm", async () => {
  const read = (name: string): Promise<string> => readFile(`test/vectors/files/key-brainpool/${name}`, "utf8");
  const odd = { certificatePem: await read("tls.crt"), keyPem: await read("tls.key") };
  await using server = await startTlsServer(odd);
  expect(await probe(server.address)).toMatchObject({ kind: "served", certificate: { names: ["a.example"] } });
});
