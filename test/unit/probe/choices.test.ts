import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAuthority, type IssuedCertificate } from "../../support/certificates.ts";
import { startOddServer } from "../../support/odd-server.ts";
import { startTlsServer } from "../../support/tls-server.ts";
import { probe, probeFingerprint } from "../../support/tls-server-probe.ts";
import { until } from "../../support/until.ts";

const authority = createAuthority();
let directory: string;
let ecPair: IssuedCertificate;
let rsaPair: IssuedCertificate;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-probe-"));
  ecPair = await authority.issue({ names: ["www.example.com"] });
  rsaPair = await authority.issue({ names: ["www.example.com"], keyType: "rsa-2048" });
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

describe("SNI", () => {
  test("is the volume's name, the endpoint's name, or none where it says so", async () => {
    await using server = await startTlsServer(ecPair);
    await probe(server.address);
    await probe(server.address, { defaultServerName: "volume.example" });
    await probe(`${server.address}?servername=own.example`, { defaultServerName: "volume.example" });
    await probe(`${server.address}?servername=`, { defaultServerName: "volume.example" });
    const names = await until(
      () => server.serverNames,
      (seen) => seen.length === 4,
    );
    expect(names).toEqual(["", "volume.example", "own.example", ""]);
  });

  test("chooses among a server's certificates", async () => {
    const other = createSecureContext({ cert: rsaPair.certificatePem, key: rsaPair.keyPem });
    await using server = await startTlsServer(ecPair, {
      SNICallback: (name, done) => done(null, name === "other.example" ? other : undefined),
    });
    expect(await probeFingerprint(server.address)).toBe(ecPair.fingerprint);
    expect(await probeFingerprint(`${server.address}?servername=other.example`)).toBe(rsaPair.fingerprint);
  });

  test("that the server rejects is named with the remedy", async () => {
    const unrecognizedName = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 112]);
    await using server = await startOddServer((socket) => socket.write(unrecognizedName));
    expect(await probe(`${server.address}?servername=strange.example`)).toMatchObject({
      reason: "server-name-rejected",
      detail: `${server.address} rejects the SNI strange.example (alert unrecognized_name): give a name it knows with servername=`,
    });
  });
});

describe("a server with an RSA and an ECDSA certificate", () => {
  test.each(["TLSv1.2", "TLSv1.3"] as const)("shows the one of the preferred key type under %s", async (version) => {
    await using server = await startTlsServer(ecPair, {
      cert: [rsaPair.certificatePem, ecPair.certificatePem],
      key: [rsaPair.keyPem, ecPair.keyPem],
      minVersion: version,
      maxVersion: version,
    });
    expect(await probeFingerprint(server.address, { preferKeyType: "rsa" })).toBe(rsaPair.fingerprint);
    expect(await probeFingerprint(server.address, { preferKeyType: "ec-p256" })).toBe(ecPair.fingerprint);
  });

  test("is asked again where it has none of the preferred type", async () => {
    await using server = await startTlsServer(rsaPair);
    expect(await probeFingerprint(server.address, { preferKeyType: "ec-p384" })).toBe(rsaPair.fingerprint);
    expect(await probeFingerprint(server.address, { preferKeyType: "ed25519" })).toBe(rsaPair.fingerprint);
  });

  test.each(["ec-p384", "ec-p521", "ed25519"] as const)("and every other key type is seen: %s", async (keyType) => {
    const pair = await authority.issue({ names: ["www.example.com"], keyType });
    await using server = await startTlsServer(pair);
    expect(await probeFingerprint(server.address)).toBe(pair.fingerprint);
    expect(await probeFingerprint(server.address, { preferKeyType: keyType })).toBe(pair.fingerprint);
  });
});

test.each(["X25519MLKEM768", "X25519", "P-256", "P-521"])(
  "a server that speaks the group %s alone is seen",
  async (group) => {
    await using server = await startTlsServer(ecPair, { ecdhCurve: group });
    expect(await probeFingerprint(server.address)).toBe(ecPair.fingerprint);
  },
);

describe("a client certificate", () => {
  test("is shown to the server that asks for it", async () => {
    const client = await authority.issue({ names: ["client.example"] });
    const [certificate, key] = [join(directory, "client.crt"), join(directory, "client.key")];
    await writeFile(certificate, client.certificatePem);
    await writeFile(key, client.keyPem);
    const seen: string[] = [];
    await using server = await startTlsServer(ecPair, {
      ca: client.caPem,
      requestCert: true,
      rejectUnauthorized: true,
      maxVersion: "TLSv1.2",
    });
    server.onSecure((socket) => seen.push(socket.getPeerCertificate().subject["CN"]?.toString() ?? ""));
    const text = `${server.address}?client-cert=${certificate}&client-key=${key}`;
    expect(await probeFingerprint(text)).toBe(ecPair.fingerprint);
    expect(
      await until(
        () => seen,
        (names) => names.length > 0,
      ),
    ).toEqual(["client.example"]);
  });

  test("that can't be used is named by its file, never by its content", async () => {
    const nonsense = join(directory, "nonsense.pem");
    await writeFile(nonsense, "secret nonsense");
    expect(await probe(`127.0.0.1:1?client-cert=${nonsense}&client-key=${nonsense}`)).toEqual({
      kind: "unreachable",
      reason: "client-certificate-unusable",
      detail: `${nonsense} and ${nonsense} are no pair of PEM certificate and unencrypted key`,
      durationMs: 0,
    });
    expect(await probe(`127.0.0.1:1?client-cert=/nowhere/a&client-key=/nowhere/b`)).toMatchObject({
      detail: "client certificate /nowhere/a can't be read: ENOENT",
    });
  });

  test("that is a named pipe which nobody writes to is not waited for", async () => {
    const pipe = join(directory, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await probe(`127.0.0.1:1?client-cert=${pipe}&client-key=${pipe}`)).toMatchObject({
      detail: `client certificate ${pipe} is no regular file`,
    });
  });
});

describe("a place", () => {
  test("may be a Unix socket", async () => {
    await using server = await startTlsServer(ecPair);
    const path = join(directory, "server.sock");
    const relay: Server = createServer((socket) => {
      socket.pipe(connect(server.port, "127.0.0.1")).pipe(socket);
    }).listen(path);
    await once(relay, "listening");
    expect(await probeFingerprint(`tls+unix://${path}`)).toBe(ecPair.fingerprint);
    relay.close();
    expect(await probe(`tls+unix:///nowhere.sock`)).toMatchObject({
      reason: "connection-refused",
      detail: "nothing listens on /nowhere.sock (ENOENT)",
    });
  });

  test("may be an IPv6 address", async () => {
    await using server = await startTlsServer(ecPair, { host: "::1" });
    expect(await probeFingerprint(server.address)).toBe(ecPair.fingerprint);
  });

  test("whose name nobody knows is named so", async () => {
    expect(await probe("no-such-host.invalid:443")).toMatchObject({ reason: "name-not-resolved" });
  });

  test.each(["v1", "v2"] as const)("behind a proxy gets the PROXY header %s first", async (version) => {
    const received: Buffer[] = [];
    await using server = await startOddServer((socket) =>
      socket.on("data", (bytes: Buffer) => {
        received.push(bytes);
        socket.end();
      }),
    );
    await probe(`${server.address}?proxy=${version}`);
    const header =
      version === "v1" ? Buffer.from("PROXY UNKNOWN\r\n") : Buffer.from("0d0a0d0a000d0a515549540a20000000", "hex");
    expect(Buffer.concat(received).subarray(0, header.length)).toEqual(header);
  });
});

describe("localhost", () => {
  test("is 127.0.0.1 where nothing listens on ::1, and the other way round", async () => {
    await using ipv4 = await startTlsServer(ecPair);
    expect(await probeFingerprint(`localhost:${ipv4.port}`)).toBe(ecPair.fingerprint);
    await using ipv6 = await startTlsServer(rsaPair, { host: "::1" });
    expect(await probeFingerprint(`localhost:${ipv6.port}`)).toBe(rsaPair.fingerprint);
  });

  test("tells when its two addresses show different certificates", async () => {
    const old = await authority.issue({ names: ["www.example.com"], notAfter: new Date(Date.now() + 86_400_000) });
    await using ipv4 = await startTlsServer(ecPair);
    await using _ipv6 = await startTlsServer(old, { host: "::1", port: ipv4.port });
    expect(await probe(`localhost:${ipv4.port}`)).toMatchObject({
      kind: "served",
      certificate: { fingerprint: old.fingerprint },
      alsoServed: [{ fingerprint: ecPair.fingerprint }],
    });
  });

  test("fails where one address answers with something else than TLS", async () => {
    await using ipv4 = await startTlsServer(ecPair);
    await using _ipv6 = await startOddServer((socket) => socket.end("220 hello\r\n"), "::1", ipv4.port);
    expect(await probe(`localhost:${ipv4.port}`)).toMatchObject({
      reason: "not-tls",
      detail: expect.stringContaining(`[::1]:${ipv4.port}`),
    });
  });
});
