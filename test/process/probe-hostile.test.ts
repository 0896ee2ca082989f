import { execFile } from "node:child_process";
import type { Socket } from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { startOddServer } from "../support/odd-server.ts";
import { startTlsServer } from "../support/tls-server.ts";

const prober = fileURLToPath(new URL("../support/odd-server-prober.ts", import.meta.url));

interface ProberReport {
  readonly ends: Readonly<Record<string, number>>;
  readonly grownMb: number;
  readonly longestMs: number;
}

/** Probes in a process of its own with 48 MB of heap. */
async function runProber(endpoints: readonly string[], probes: number, timeoutMs: number): Promise<ProberReport> {
  const flags = ["--max-old-space-size=48", "--max-semi-space-size=2"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, prober, ...endpoints], {
    env: { ...process.env, PROBES: String(probes), TIMEOUT_MS: String(timeoutMs) },
  });
  return JSON.parse(stdout) as ProberReport;
}

function pour(socket: Socket, piece: Buffer): void {
  const next = (): void => {
    if (!socket.destroyed) {
      socket.write(piece, () => setImmediate(next));
    }
  };
  next();
}

test("hostile servers neither crash nor bloat the one that probes them", async () => {
  const authority = createAuthority();
  const pair = await authority.issue({ names: ["www.example.com"] });
  const names = Array.from({ length: 2000 }, (_, index) => `name-${index}.example.com`);
  const large = await authority.issue({ names });
  await using noise = await startOddServer((socket) => pour(socket, Buffer.alloc(16_384, "noise")));
  await using banner = await startOddServer((socket) => pour(socket, Buffer.from("220-welcome\r\n".repeat(1000))));
  await using hangUp = await startOddServer((socket) => socket.resetAndDestroy());
  await using manyCertificates = await startTlsServer(pair, { cert: pair.certificatePem.repeat(100) });
  await using largeCertificate = await startTlsServer(large);
  const endpoints = [
    noise.address,
    `smtp://${banner.address}`,
    `ftp://${banner.address}`,
    `mysql://${noise.address}`,
    hangUp.address,
    manyCertificates.address,
    largeCertificate.address,
  ];
  const report = await runProber(endpoints, 700, 20_000);
  expect(report.ends).toEqual({ "not-tls": 100, "prelude-failed": 300, "closed-early": 100, served: 200 });
  expect(report.grownMb).toBeLessThan(40);
});

test("servers that take for ever cost the time limit and no more", async () => {
  await using silence = await startOddServer(() => undefined);
  await using warnings = await startOddServer((socket) => pour(socket, Buffer.from([0x15, 3, 3, 0, 2, 1, 0x5a])));
  await using half = await startOddServer((socket) => socket.write(Buffer.from([22, 3, 3, 64, 0, 2, 0, 63, 250])));
  await using greeting = await startOddServer((socket) => socket.write("220-wait"));
  const endpoints = [silence.address, warnings.address, half.address, `smtp://${greeting.address}`];
  const report = await runProber(endpoints, 160, 200);
  expect(Object.keys(report.ends).sort()).toEqual(["handshake-failed", "timed-out"]);
  expect(report.longestMs).toBeLessThan(2000);
  expect(report.grownMb).toBeLessThan(40);
});

test("memory stays flat in the number of probes", async () => {
  const pair = await createAuthority().issue({ names: ["www.example.com"], intermediates: 8 });
  await using server = await startTlsServer(pair);
  const report = await runProber([server.address], 2000, 20_000);
  expect(report.ends).toEqual({ served: 2000 });
  expect(report.grownMb).toBeLessThan(30);
});
