import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import type { X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type SecureVersion, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFacts } from "../../src/certificate/facts.ts";
import type { CertificateFacts } from "../../src/core/certificate-facts.ts";
import { readKeypairFacts } from "../../src/keypair/keypair.ts";
import { parseKeypair } from "../../src/keypair/parse-keypair.ts";
import { rehearse } from "../../src/keypair/rehearsal.ts";
import { validateKeypair } from "../../src/keypair/validate-keypair.ts";
import { systemClock } from "../../src/system/clock.ts";
import { defaultKeypairPolicy } from "../support/keypair-policy.ts";
import { until } from "../support/until.ts";
import { readVector, vectorFileNames, vectorFolder, vectors } from "../vectors/read-vector.ts";
import { vectorNowMs } from "../vectors/vector.ts";

interface Judgement {
  readonly isRefused: boolean;
  readonly certificate: CertificateFacts | undefined;
  readonly codes: readonly string[];
}

const versions: readonly SecureVersion[] = ["TLSv1.2", "TLSv1.3"];
let prefix: string;
let nginx: ChildProcess | undefined;
const loaded = new Map<string, string>();

beforeAll(async () => {
  prefix = mkdtempSync(join(tmpdir(), "certhup-nginx-"));
  chmodSync(prefix, 0o755);
  for (const { name } of vectors) {
    const server = renderServer(name);
    const config = writeConfig(`test-${name}`, [server]);
    if (spawnSync("nginx", ["-t", "-q", "-p", prefix, "-c", config], { stdio: "ignore" }).status === 0) {
      loaded.set(name, server);
    }
  }
  const config = writeConfig("all", [...loaded.values()]);
  nginx = spawn("nginx", ["-p", prefix, "-c", config], { stdio: "ignore", detached: true });
  await until(
    () => look("pem-plain", "TLSv1.3"),
    (served) => served !== undefined,
    { what: "nginx to serve the plain vector" },
  );
});

afterAll(async () => {
  const running = nginx;
  if (running !== undefined) {
    running.kill("SIGTERM");
    await until(
      () => running.exitCode ?? running.signalCode,
      (ended) => ended !== null,
    );
  }
  rmSync(prefix, { recursive: true, force: true });
});

describe("what certhup says of a pair agrees with what nginx does with the same files", () => {
  test("nginx is here, loads the plain vector and refuses the mismatched one", () => {
    expect(loaded.has("pem-plain")).toBe(true);
    expect(loaded.has("key-of-other-certificate")).toBe(false);
  });

  test.each(vectors.map(({ name }) => name))("%s", async (name) => {
    const { isRefused, certificate, codes } = await judge(name);
    const served = loaded.has(name) ? await lookAtAll(name) : [];
    if (!isRefused) {
      expect(served, `nginx loads and serves what certhup accepts; findings: ${codes.join(", ")}`).not.toEqual([]);
    }
    for (const facts of served) {
      expect(certificate, "whatever nginx serves, certhup can compare").toMatchObject({
        fingerprint: facts.fingerprint,
        publicKeyFingerprint: facts.publicKeyFingerprint,
        names: facts.names,
      });
      if (!codes.includes("leaf-not-first")) {
        expect(certificate?.chain).toEqual(facts.chain);
      }
    }
  });
});

async function judge(name: string): Promise<Judgement> {
  const parsed = parseKeypair(readVector(name));
  if (parsed.kind === "unusable") {
    return { isRefused: true, certificate: parsed.certificate, codes: parsed.findings.map(({ code }) => code) };
  }
  const { keypair } = parsed;
  const findings = [
    ...parsed.findings,
    ...validateKeypair(keypair, defaultKeypairPolicy, vectorNowMs, undefined),
    ...(await rehearse(keypair, { clock: systemClock })),
  ];
  return {
    isRefused: findings.some(({ severity }) => severity === "refuse"),
    certificate: readKeypairFacts(keypair),
    codes: findings.map(({ code }) => code),
  };
}

async function lookAtAll(name: string): Promise<readonly CertificateFacts[]> {
  const looks = await Promise.all(versions.map((version) => look(name, version)));
  return looks.filter((facts) => facts !== undefined);
}

function look(name: string, version: SecureVersion): Promise<CertificateFacts | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      path: join(prefix, `${name}.sock`),
      servername: "a.example",
      minVersion: version,
      maxVersion: version,
      ecdhCurve: "X25519:P-256:P-384:P-521:brainpoolP256r1",
      rejectUnauthorized: false,
      timeout: 5000,
    });
    const settle = (facts: CertificateFacts | undefined): void => {
      socket.destroy();
      resolve(facts);
    };
    socket.once("error", () => settle(undefined));
    socket.once("timeout", () => settle(undefined));
    socket.once("secureConnect", () => settle(readServed(socket)));
  });
}

/** `getPeerCertificate` would end the process over a curve without a NIST name (seen with Node 24.21). */
function readServed(socket: TLSSocket): CertificateFacts {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) {
    throw new Error("the handshake showed no certificate");
  }
  const others: X509Certificate[] = [];
  for (let next = leaf.issuerCertificate; next !== undefined; next = next.issuerCertificate) {
    others.push(next);
  }
  return readFacts(leaf, others);
}

function renderServer(name: string): string {
  const { bundle, passphrase } = readVector(name);
  const folder = join(vectorFolder, name);
  const keyFile = bundle === true ? vectorFileNames.certificate : vectorFileNames.key;
  const password = passphrase === undefined ? "" : `ssl_password_file ${join(folder, vectorFileNames.passphrase)};`;
  return `server {
    listen unix:${join(prefix, `${name}.sock`)} ssl;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate ${join(folder, vectorFileNames.certificate)};
    ssl_certificate_key ${join(folder, keyFile)};
    ${password}
    return 204;
  }`;
}

function writeConfig(name: string, servers: readonly string[]): string {
  const folder = join(prefix, "run");
  mkdirSync(folder, { recursive: true });
  const path = join(prefix, `${name}.conf`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  writeFileSync(
    path,
    `daemon off;
worker_processes 1;
pid ${join(prefix, `${name}.pid`)};
error_log ${join(prefix, `${name}.log`)};
events { worker_connections 512; }
http {
  access_log off;
  ${temporary.join("\n  ")}
  ${servers.join("\n  ")}
}
`,
  );
  return path;
}
