import { expect, test } from "vitest";
import { readFingerprint } from "../../../src/certificate/facts.ts";
import { parseKeypair } from "../../../src/keypair/parse-keypair.ts";
import { readVector } from "../../vectors/read-vector.ts";

test("the key buffer is overwritten, whether the pair is usable or not", () => {
  for (const name of [
    "pem-plain",
    "key-of-other-certificate",
    "pem-empty",
    "key-bad-base64",
    "key-encrypted-no-passphrase",
  ]) {
    const files = readVector(name);
    parseKeypair(files);
    expect(files.key?.every((byte) => byte === 0)).toBe(true);
  }
});

test("a certificate file that holds a key is overwritten, any other is left as it is", () => {
  for (const name of ["bundle-key-first", "bundle-truncated-key", "pem-with-key"]) {
    const files = readVector(name);
    parseKeypair(files);
    expect(files.certificate.every((byte) => byte === 0)).toBe(true);
  }
  const files = readVector("pem-plain");
  parseKeypair(files);
  expect(files.certificate).toEqual(readVector("pem-plain").certificate);
});

test("without a key file only the certificate is judged, and that is said", () => {
  const { certificate, ca } = readVector("pem-plain");
  const parsed = parseKeypair({ certificate, ca });
  expect(parsed).toMatchObject({ kind: "parsed", keypair: { privateKey: undefined } });
  expect(parsed.findings.map(({ code }) => code)).toEqual(["key-not-checked"]);
});

test("without a key file the certificate that is no authority is the leaf", () => {
  const { certificate } = readVector("chain-ca-first");
  const parsed = parseKeypair({ certificate });
  expect(parsed.kind === "parsed" && parsed.keypair.leaf.subject).toBe("CN=a.example");
});

test("when only the key is at fault the certificate is still described", () => {
  const good = parseKeypair(readVector("pem-plain"));
  const parsed = parseKeypair({ ...readVector("pem-plain"), key: Buffer.from("nothing\n") });
  expect(parsed.kind).toBe("unusable");
  const fingerprint = good.kind === "parsed" ? readFingerprint(good.keypair.leaf) : "";
  expect(parsed.kind === "unusable" && parsed.certificate?.fingerprint).toBe(fingerprint);
});

test("more certificates than a client takes are refused", () => {
  const { certificate, key } = readVector("pem-plain");
  const many = Buffer.concat(Array.from({ length: 60 }, () => Buffer.from(certificate)));
  const codes = parseKeypair({ certificate: many, key }).findings.map(({ code }) => code);
  expect(codes).toEqual(["too-many-certificates"]);
});

test("glued blocks are named with what to do about them", () => {
  const { findings } = parseKeypair(readVector("pem-glued"));
  const offset = Buffer.from(readVector("pem-glued").certificate).lastIndexOf("-----BEGIN");
  expect(findings).toEqual([
    {
      code: "pem-glued-blocks",
      severity: "refuse",
      message: `the certificate file at byte ${offset} (block "CERTIFICATE"): two blocks share a line: a line break is missing between`,
      hint: "put a line break between the blocks where the file is put together",
    },
  ]);
});

test.each([
  ["der-certificate", "the certificate file is not PEM: it looks like DER"],
  ["pkcs12", "the certificate file is not PEM: it looks like PKCS#12"],
  ["jks", "the certificate file is not PEM: it looks like a Java keystore (JKS)"],
  ["pem-utf16", "the certificate file is not PEM: it looks like UTF-16 text"],
  ["pem-base64-twice", "the certificate file is not PEM: it looks like a PEM file encoded in base64 once more"],
  ["key-der", "the key file is not PEM: it looks like a private key in DER"],
  ["pem-indented", "the certificate file is not PEM: it looks like text whose begin line is damaged or indented"],
])("%s is named for what it is", (name, message) => {
  expect(parseKeypair(readVector(name)).findings.map((finding) => finding.message)).toEqual([message]);
});
