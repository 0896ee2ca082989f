import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HttpStrategyOptions } from "../../../src/reload/http-options.ts";
import { createAuthority, type IssuedCertificate, type IssueOptions } from "../../support/certificates.ts";
import { httpStrategy, startReloadEndpoint } from "../../support/reload-endpoint.ts";

const never = new AbortController().signal;
const authority = createAuthority();
const anotherAuthority = createAuthority({ name: "another authority" });
const dayMs = 86_400_000;
let caFile: string;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-http-tls-"));
  caFile = join(directory, "ca.crt");
  await writeFile(caFile, await authority.caPem());
});
afterEach(() => rm(directory, { recursive: true }));

async function reloadServedWith(pair: IssuedCertificate, options: Partial<HttpStrategyOptions> = {}) {
  const tls = { cert: pair.certificatePem, key: pair.keyPem };
  await using endpoint = await startReloadEndpoint((_, response) => response.end(), { tls });
  const url = new URL(`https://localhost:${endpoint.port}/reload`);
  const outcome = await httpStrategy(1, { url, caFile, ...options }).reload(never);
  return { ...outcome, requests: endpoint.requests.length };
}

function issue(options: Partial<IssueOptions> = {}): Promise<IssuedCertificate> {
  return authority.issue({ names: ["localhost"], ...options });
}

const expired = { notBefore: new Date(Date.now() - 90 * dayMs), notAfter: new Date(Date.now() - dayMs) };

describe("an endpoint that is trusted", () => {
  test("has the name of the URL and a chain to the CA file", async () => {
    expect(await reloadServedWith(await issue({ intermediates: 1 }))).toMatchObject({ kind: "accepted", requests: 1 });
  });

  test("may have an address in its certificate", async () => {
    const pair = await issue({ names: ["127.0.0.1"] });
    const tls = { cert: pair.certificatePem, key: pair.keyPem };
    await using endpoint = await startReloadEndpoint((_, response) => response.end(), { tls });
    const url = new URL(`https://127.0.0.1:${endpoint.port}/`);
    expect(await httpStrategy(1, { url, caFile }).reload(never)).toMatchObject({ kind: "accepted" });
  });

  test("may have another name, if that one is configured", async () => {
    const pair = await issue({ names: ["www.example.com"] });
    expect(await reloadServedWith(pair)).toMatchObject({ kind: "refused", requests: 0 });
    expect(await reloadServedWith(pair, { serverName: "www.example.com" })).toMatchObject({ kind: "accepted" });
  });

  test("may have a key on a curve without a NIST name, which does no harm", async () => {
    const vector = "test/vectors/files/key-brainpool";
    const [certificatePem, keyPem] = await Promise.all(
      ["tls.crt", "tls.key"].map((name) => readFile(`${vector}/${name}`, "utf8")),
    );
    if (certificatePem === undefined || keyPem === undefined) throw new Error("the vector has two files");
    await writeFile(caFile, certificatePem);
    const pair = { certificatePem, keyPem, caPem: certificatePem, fingerprint: "" };
    expect(await reloadServedWith(pair, { serverName: "a.example" })).toMatchObject({ kind: "accepted" });
  });

  test("is known by a CA file that changed since the last request", async () => {
    const pair = await anotherAuthority.issue({ names: ["localhost"] });
    expect(await reloadServedWith(pair)).toMatchObject({ reason: "certificate-not-trusted" });
    await writeFile(caFile, await anotherAuthority.caPem());
    expect(await reloadServedWith(pair)).toMatchObject({ kind: "accepted" });
  });
});

describe("an endpoint that isn't trusted", () => {
  test.each([
    ["another authority's", () => anotherAuthority.issue({ names: ["localhost"] }), /unable to|UNABLE_TO/i],
    ["an expired", () => issue(expired), /expired/i],
    ["another name's", () => issue({ names: ["www.example.com"] }), /localhost|ALTNAME/],
    ["a self-signed", () => issue({ selfSigned: true }), /self.signed/i],
  ])("with %s certificate gets no request", async (_, makePair, why) => {
    expect(await reloadServedWith(await makePair())).toEqual({
      kind: "refused",
      reason: "certificate-not-trusted",
      detail: expect.stringMatching(why),
      hint: expect.stringContaining("CA file"),
      requests: 0,
    });
  });

  test("because the CA file is a named pipe that nobody writes to gets no request", async () => {
    const pipe = join(directory, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await reloadServedWith(await issue(), { caFile: pipe })).toMatchObject({
      reason: "certificate-not-trusted",
      detail: `CA file ${pipe} is no regular file`,
      requests: 0,
    });
  });

  test("because the CA file can't be read gets no request", async () => {
    const missing = join(directory, "missing.crt");
    expect(await reloadServedWith(await issue(), { caFile: missing })).toMatchObject({
      reason: "certificate-not-trusted",
      detail: `CA file ${missing} can't be read: ENOENT`,
      requests: 0,
    });
    expect(await httpStrategy(1, { caFile: missing }).prepare()).toMatchObject([{ code: "certificate-not-trusted" }]);
  });
});

describe("an endpoint that is served with the certificate being renewed", () => {
  test("is trusted by its leaf, though it is expired, of another authority and for another name", async () => {
    const pair = await anotherAuthority.issue({ names: ["www.example.com"], ...expired });
    const trustedFingerprints = () => [pair.fingerprint];
    expect(await reloadServedWith(pair, { trustedFingerprints })).toMatchObject({ kind: "accepted", requests: 1 });
  });

  test("is trusted by the fingerprints of the moment", async () => {
    const [older, newer] = [await issue({ selfSigned: true }), await issue({ selfSigned: true })];
    let trusted = [older.fingerprint];
    const trustedFingerprints = () => trusted;
    expect(await reloadServedWith(newer, { trustedFingerprints })).toMatchObject({ kind: "refused", requests: 0 });
    trusted = [newer.fingerprint, older.fingerprint];
    expect(await reloadServedWith(newer, { trustedFingerprints })).toMatchObject({ kind: "accepted" });
    expect(await reloadServedWith(older, { trustedFingerprints })).toMatchObject({ kind: "accepted" });
  });
});
