import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { endianness, tmpdir } from "node:os";
import { join } from "node:path";
import type { TlsOptions } from "node:tls";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { countListeners as countAt, handshakesToMeetAll } from "../../../src/probe/listeners.ts";
import { createAuthority } from "../../support/certificates.ts";
import { startTlsServer } from "../../support/tls-server.ts";
import { probe } from "../../support/tls-server-probe.ts";
import { until } from "../../support/until.ts";

const authority = createAuthority();

let nowMs = 0;

/** Asks so much later than the time before that nothing of it counts any more. */
function countListeners(host: string, port: number, procRoot?: string): Promise<number> {
  nowMs += 1_000;
  return countAt(host, port, nowMs, procRoot);
}

/** The kernel lists no moment: what others open and close meanwhile may be seen or not. */
async function untilCounted(host: string, port: number, expected: number): Promise<void> {
  await until(
    () => countListeners(host, port),
    (count) => count === expected,
    { what: `${expected} listeners on ${host}:${port}` },
  );
}

/** A server that shares its port with others by SO_REUSEPORT. */
async function startSharing(port = 0, host = "127.0.0.1", options: TlsOptions = {}) {
  const pair = await authority.issue({ names: ["www.example.com"] });
  const server = await startTlsServer(pair, { port, host, reusePort: true, ...options });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { ...server, pair };
}

/** A proc filesystem whose lists of sockets have these rows. */
async function createProc(tcp: readonly string[], tcp6: readonly string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "certhup-proc-"));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, "self/net"), { recursive: true });
  const write = (name: string, rows: readonly string[]) =>
    writeFile(join(root, "self/net", name), `${["  sl  local_address rem_address   st ...", ...rows].join("\n")}\n`);
  await write("tcp", tcp);
  await write("tcp6", tcp6);
  return root;
}

/** A row as the kernel writes it; the address as words in the order of this machine. */
function row(address: string, port: number, state = "0A"): string {
  const bytes = Buffer.from(address, "hex");
  const words = (endianness() === "LE" ? bytes.swap32() : bytes).toString("hex").toUpperCase();
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  return `   0: ${words}:${hexPort} ${"0".repeat(address.length)}:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 1065 1`;
}

const loopback4 = "7f000001";
const wildcard4 = "00000000";
const loopback6 = "1".padStart(32, "0");
const wildcard6 = "0".repeat(32);

describe("the listeners behind a port", () => {
  test("are counted as the kernel has them", async () => {
    const first = await startSharing();
    await untilCounted("127.0.0.1", first.port, 1);
    await startSharing(first.port);
    await startSharing(first.port);
    await untilCounted("127.0.0.1", first.port, 3);
    await untilCounted("127.0.0.2", first.port, 1);
  });

  test("of IPv6 are others", async () => {
    const first = await startSharing(0, "::1");
    await startSharing(first.port, "::1");
    await untilCounted("::1", first.port, 2);
    await untilCounted("127.0.0.1", first.port, 1);
  });

  test.each<[string, string, readonly string[], readonly string[], number]>([
    ["those of the very address win", "127.0.0.1", [loopback4, wildcard4, wildcard4], [wildcard6], 1],
    ["then those of the same family", "127.0.0.1", [wildcard4, wildcard4], [wildcard6], 2],
    ["then those of both families", "127.0.0.1", [], [wildcard6, wildcard6, wildcard6], 3],
    ["another address doesn't count", "127.0.0.2", [loopback4, loopback4], [], 1],
    ["IPv6 knows nothing of IPv4", "::1", [loopback4, wildcard4], [loopback6, loopback6, wildcard6], 2],
    ["without any it is one", "::1", [], [], 1],
  ])("%s", async (_what, host, tcp, tcp6, expected) => {
    const root = await createProc(
      tcp.map((address) => row(address, 8443)),
      tcp6.map((address) => row(address, 8443)),
    );
    expect(await countListeners(host, 8443, root)).toBe(expected);
  });

  test("end where connections begin, and another port is another matter", async () => {
    const rows = [row(loopback4, 8443), row(loopback4, 8444), row(loopback4, 8443, "01"), row(loopback4, 8443)];
    expect(await countListeners("127.0.0.1", 8443, await createProc(rows, []))).toBe(1);
  });

  test("are read once for probes that come at the same time", async () => {
    const root = await createProc([row(loopback4, 8443)], []);
    expect(await countListeners("127.0.0.1", 8443, root)).toBe(1);
    await writeFile(join(root, "self/net/tcp"), `head\n${row(loopback4, 8443)}\n${row(loopback4, 8443)}\n`);
    expect(await countAt("127.0.0.1", 8443, nowMs + 50, root)).toBe(1);
    expect(await countAt("127.0.0.1", 8443, nowMs + 150, root)).toBe(2);
  });

  test("are one where nobody tells", async () => {
    expect(await countListeners("127.0.0.1", 8443, "/nowhere")).toBe(1);
    const root = await createProc(["nonsense", row(loopback4, 8443), row(loopback4, 8443)], []);
    expect(await countListeners("127.0.0.1", 8443, root)).toBe(1);
  });

  test("are found among many rows", async () => {
    const rows = Array.from({ length: 300 }, (_, position) => row(loopback4, position < 7 ? 8443 : 9000 + position));
    expect(await countListeners("127.0.0.1", 8443, await createProc(rows.toReversed(), []))).toBe(7);
  });
});

test("an ordinary port is met by one handshake, and by three times the number a shared one is missed once in a thousand", () => {
  expect([0, 1].map(handshakesToMeetAll)).toEqual([1, 1]);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 14 }), (listeners) => {
      const handshakes = handshakesToMeetAll(listeners);
      expect((1 - 1 / listeners) ** (3 * handshakes)).toBeLessThanOrEqual(0.001);
    }),
  );
  expect(handshakesToMeetAll(1_000)).toBe(32);
});

test("two processes behind one port that serve different certificates are seen both", async () => {
  const first = await startSharing();
  const second = await startSharing(first.port);
  const fingerprints = [first.pair.fingerprint, second.pair.fingerprint];
  // Each probe misses one of them once in eight.
  const both = await until(
    () => probe(first.address),
    (result) => result.kind === "served" && result.alsoServed !== undefined,
  );
  const shown = both.kind === "served" ? [both.certificate, ...(both.alsoServed ?? [])] : [];
  expect(shown.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(fingerprints.toSorted());
});

test("slow processes behind one port take no longer together than one alone", async () => {
  const slowly: TlsOptions = { SNICallback: (_name, answer) => void setTimeout(answer, 1_100, null) };
  const first = await startSharing(0, "127.0.0.1", slowly);
  await startSharing(first.port, "127.0.0.1", slowly);
  const limits = { wholeMs: 2_000, stepMs: 2_000 };
  expect(await probe(`${first.address}?servername=www.example.com`, { limits })).toMatchObject({ kind: "served" });
});

test("two processes behind one port that serve the same look like one", async () => {
  const first = await startSharing();
  const second = await startSharing(first.port);
  second.serve({ cert: first.pair.certificatePem, key: first.pair.keyPem });
  const result = await probe(first.address);
  expect(result).toMatchObject({ kind: "served", certificate: { fingerprint: first.pair.fingerprint } });
  expect(result).not.toHaveProperty("alsoServed");
});
