import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { lookup } from "node:dns/promises";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { setDefaultAutoSelectFamily } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readFacts } from "../../../src/certificate/facts.ts";
import { createAuthority, type IssuedCertificate } from "../../support/certificates.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { startOddServer } from "../../support/odd-server.ts";
import { startTlsServer } from "../../support/tls-server.ts";
import { probe, probeFingerprint } from "../../support/tls-server-probe.ts";

const authority = createAuthority();
let pair: IssuedCertificate;

beforeAll(async () => {
  pair = await authority.issue({ names: ["www.example.com", "*.b.example"], intermediates: 2 });
});

function readPem(pem: string): X509Certificate[] {
  return pem
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((block) => block.includes("BEGIN"))
    .map((block) => new X509Certificate(block));
}

describe("a server that serves", () => {
  test("shows the same facts as its file, the intermediates included", async () => {
    await using server = await startTlsServer(pair);
    const [leaf, ...others] = readPem(pair.certificatePem);
    expect(await probe(server.address)).toEqual({
      kind: "served",
      certificate: readFacts(leaf as X509Certificate, others),
      protocol: "TLSv1.3",
      cipher: "TLS_AES_256_GCM_SHA384",
      durationMs: expect.any(Number),
    });
  });

  test.each(["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const)("is seen when it speaks %s alone", async (version) => {
    await using server = await startTlsServer(pair, {
      minVersion: version,
      maxVersion: version,
      ciphers: "DEFAULT:@SECLEVEL=0",
    });
    expect(await probe(server.address)).toMatchObject({
      kind: "served",
      protocol: version,
      certificate: { fingerprint: pair.fingerprint },
    });
  });

  test.each(["TLSv1", "TLSv1.2", "TLSv1.3"] as const)(
    "is seen under %s though it insists on a client certificate",
    async (version) => {
      await using server = await startTlsServer(pair, {
        requestCert: true,
        rejectUnauthorized: true,
        minVersion: version,
        maxVersion: version,
        ciphers: "DEFAULT:@SECLEVEL=0",
      });
      expect(await probeFingerprint(server.address)).toBe(pair.fingerprint);
    },
  );
});

describe("a server that insists on something rare is seen", () => {
  test.each(["TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256"])("with the suite %s", async (suite) => {
    const ciphers = `${suite}:ALL:@SECLEVEL=0`;
    await using server = await startTlsServer(pair, { ciphers, minVersion: "TLSv1.3" });
    expect(await probe(server.address)).toMatchObject({ kind: "served", cipher: suite });
  });

  test.each([
    ...["P-521", "X448", "ffdhe2048", "ffdhe8192", "X25519MLKEM768", "SecP384r1MLKEM1024"],
    ...["brainpoolP256r1tls13", "brainpoolP512r1tls13"],
  ])("with the group %s", async (ecdhCurve) => {
    await using server = await startTlsServer(pair, { ecdhCurve, minVersion: "TLSv1.3" });
    expect(await probeFingerprint(server.address)).toBe(pair.fingerprint);
  });

  test.each(["brainpoolP256r1", "brainpoolP384r1", "brainpoolP512r1", "secp256k1", "secp224r1"])(
    "with a key on the curve %s",
    async (curve) => {
      const directory = await mkdtemp(join(tmpdir(), "certhup-curve-"));
      onTestFinished(() => rm(directory, { recursive: true }));
      const command = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:${curve} -nodes -keyout key.pem -out cert.pem -subj /CN=a`;
      execFileSync("openssl", command.split(" "), { cwd: directory, stdio: "pipe" });
      const [certificatePem, keyPem] = [join(directory, "cert.pem"), join(directory, "key.pem")].map((path) =>
        readFileSync(path, "utf8"),
      ) as [string, string];
      const curves = { ecdhCurve: `${curve}:X25519`, maxVersion: "TLSv1.2" } as const;
      await using server = await startTlsServer({ certificatePem, keyPem }, curves);
      expect(await probe(server.address)).toMatchObject({ kind: "served", certificate: { keyType: "ec-other" } });
      expect(await probe(server.address, { preferKeyType: "ec-other" })).toMatchObject({ kind: "served" });
    },
  );
});

describe("a server that serves nothing", () => {
  test("is refused where nothing listens", async () => {
    const server = await startTlsServer(pair);
    await server[Symbol.asyncDispose]();
    expect(await probe(server.address)).toEqual({
      kind: "unreachable",
      reason: "connection-refused",
      detail: `nothing listens on ${server.address} (ECONNREFUSED)`,
      durationMs: expect.any(Number),
    });
  });

  test("times out where it stays silent", async () => {
    await using server = await startOddServer(() => undefined);
    expect(await probe(server.address, { limits: { wholeMs: 100, stepMs: 100 } })).toMatchObject({
      reason: "timed-out",
      detail: `${server.address} took the connection and stayed silent: no ServerHello within 100 ms`,
    });
  });

  test("is not TLS where it greets in plain text", async () => {
    await using server = await startOddServer((socket) => socket.write("220 mail.example ESMTP\r\n"));
    expect(await probe(server.address)).toMatchObject({
      reason: "not-tls",
      detail: expect.stringContaining(`not TLS on this port: ${server.address} answered with something else`),
    });
  });

  test("may want the PROXY protocol where it hangs up at once", async () => {
    await using server = await startOddServer((socket) => socket.end());
    expect(await probe(server.address)).toMatchObject({
      reason: "closed-early",
      detail: expect.stringContaining("does it expect the PROXY protocol"),
    });
  });
});

test("an aborted probe settles at once and leaves no connection behind", async () => {
  await using server = await startOddServer(() => controller.abort());
  const controller = new AbortController();
  expect(await probe(server.address, { signal: controller.signal })).toMatchObject({ reason: "cancelled" });
});

test("probes leave no listener behind on a signal that lives on", async () => {
  const { signal } = new AbortController();
  await using server = await startTlsServer(pair);
  await using silent = await startOddServer(() => undefined);
  await probe(server.address, { signal });
  await probe(silent.address, { signal, limits: { wholeMs: 20, stepMs: 20 } });
  await probe("127.0.0.1:1", { signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a name whose address comes when the probe is over leaves no timer behind", async () => {
  // As under NODE_OPTIONS=--no-network-family-autoselection: Node then tells of it even when the socket is gone.
  setDefaultAutoSelectFamily(false);
  onTestFinished(() => setDefaultAutoSelectFamily(true));
  const clock = createManualClock(Date.now());
  const name = "no-such-host.invalid";
  expect(await probe(`${name}:443`, { clock, signal: AbortSignal.abort() })).toMatchObject({ reason: "cancelled" });
  await lookup(name).catch(() => undefined);
  expect(clock.pending()).toBe(0);
});

test("a signal aborted beforehand ends the probe before it begins", async () => {
  await using server = await startOddServer(() => undefined);
  expect(await probe(server.address, { signal: AbortSignal.abort() })).toMatchObject({ reason: "cancelled" });
});
