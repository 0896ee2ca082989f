import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type DetailedPeerCertificate } from "node:tls";
import { expect, test } from "vitest";
import { readFacts } from "../../../src/certificate/facts.ts";
import type { CertificateFacts } from "../../../src/core/certificate-facts.ts";
import { createAuthority } from "../../support/certificates.ts";
import { splitPem } from "../../vectors/kit.ts";
import { readVector } from "../../vectors/read-vector.ts";

const authority = createAuthority();

function readPemFacts(pem: string): CertificateFacts {
  const [leaf, ...others] = splitPem(pem).map((block) => new X509Certificate(block));
  if (leaf === undefined) {
    throw new Error("no certificate in the text");
  }
  return readFacts(leaf, others);
}

/** The certificates of a handshake as Node orders them, leaf first. */
async function readServedPem(certificatePem: string, keyPem: string): Promise<string> {
  const server = createServer({ cert: certificatePem, key: keyPem }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const certificates: string[] = [];
  let peer: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (peer !== undefined && certificates.length < 10) {
    certificates.push(new X509Certificate(peer.raw).toString());
    peer = peer.issuerCertificate === peer ? undefined : peer.issuerCertificate;
  }
  socket.destroy();
  server.close();
  return certificates.join("");
}

test("the facts of a leaf are those that the certificate says", async () => {
  const names = ["a.example", "*.a.example", "192.0.2.1", "2001:db8::1"];
  const notBefore = new Date(Date.UTC(2026, 0, 1));
  const notAfter = new Date(Date.UTC(2027, 0, 1));
  const { certificatePem, fingerprint } = await authority.issue({ names, notBefore, notAfter, keyType: "ec-p384" });
  const certificate = new X509Certificate(certificatePem);
  expect(readPemFacts(certificatePem)).toEqual({
    fingerprint,
    chain: [fingerprint],
    chainFingerprint: fingerprint,
    publicKeyFingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    subject: "CN=a.example",
    issuer: "CN=certhup test authority",
    serialNumber: certificate.serialNumber,
    names,
    notBefore: notBefore.getTime(),
    notAfter: notAfter.getTime(),
    keyType: "ec-p384",
  });
});

test("a renewal with the same key has the same public key and another fingerprint", async () => {
  const first = await authority.issue({ names: ["a.example"] });
  const second = await authority.issue({ names: ["a.example"], keyPem: first.keyPem });
  const [a, b] = [readPemFacts(first.certificatePem), readPemFacts(second.certificatePem)];
  expect(b.publicKeyFingerprint).toBe(a.publicKeyFingerprint);
  expect(b.fingerprint).not.toBe(a.fingerprint);
});

test("the chain is the same whatever order, repetition, root or stranger stands in the file", async () => {
  const { certificatePem, caPem } = await authority.issue({ names: ["a.example"], intermediates: 3 });
  const stranger = await createAuthority({ name: "stranger" }).caPem();
  const [leaf = "", ...upper] = splitPem(certificatePem);
  const plain = readPemFacts(certificatePem);
  expect(plain.chain).toHaveLength(4);
  const others = [
    leaf + [...upper].reverse().join(""),
    leaf + leaf + upper.join("") + upper.join(""),
    certificatePem + caPem,
    leaf + caPem + stranger + upper.join(""),
  ];
  for (const text of others) {
    expect(readPemFacts(text).chain).toEqual(plain.chain);
    expect(readPemFacts(text).chainFingerprint).not.toBe(plain.chainFingerprint);
  }
});

test("a missing intermediate shortens the chain, so that a chain-only renewal is seen", async () => {
  const { certificatePem } = await authority.issue({ names: ["a.example"], intermediates: 2 });
  const [leaf = "", first = "", second = ""] = splitPem(certificatePem);
  const plain = readPemFacts(certificatePem);
  expect(readPemFacts(leaf + second).chain).toEqual(plain.chain.slice(0, 1));
  expect(readPemFacts(leaf + first).chain).toEqual(plain.chain.slice(0, 2));
});

test("a self-signed leaf is its own chain, even when its key may not sign certificates", async () => {
  const { certificatePem, fingerprint } = await authority.issue({ names: ["a.example"], selfSigned: true });
  expect(readPemFacts(certificatePem + certificatePem).chain).toEqual([fingerprint]);
});

test.each([0, 1, 3])("file and handshake give the same chain with %i intermediates", async (intermediates) => {
  const { certificatePem, keyPem, caPem } = await authority.issue({ names: ["a.example"], intermediates });
  const file = readPemFacts(certificatePem);
  const { chainFingerprint: _, ...served } = readPemFacts(await readServedPem(certificatePem, keyPem));
  expect(file).toMatchObject(served);
  const withRoot = readPemFacts(await readServedPem(certificatePem + caPem, keyPem));
  expect(withRoot.chain).toEqual(file.chain);
});

test.each([
  ["key-rsa-2048", "rsa"],
  ["key-rsa-pss", "rsa-pss"],
  ["pem-plain", "ec-p256"],
  ["key-p384", "ec-p384"],
  ["key-p521", "ec-p521"],
  ["key-brainpool", "ec-other"],
  ["key-ed25519", "ed25519"],
  ["key-ed448", "ed448"],
])("the key type of %s is %s", (name, keyType) => {
  expect(readPemFacts(Buffer.from(readVector(name).certificate).toString()).keyType).toBe(keyType);
});
