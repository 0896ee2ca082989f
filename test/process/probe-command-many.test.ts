import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { bundle, startBundle } from "../support/agent.ts";
import { createAuthority } from "../support/certificates.ts";
import { startChild } from "../support/child.ts";
import { type OddServer, startOddServer } from "../support/odd-server.ts";
import { readSamples } from "../support/prometheus-text.ts";
import { certhup, endWithTest } from "../support/stage.ts";
import { startTlsServer } from "../support/tls-server.ts";
import { until } from "../support/until.ts";

const authority = createAuthority();
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-probe-many-"));
  return () => rm(directory, { recursive: true });
});

/** A server that does this to each connection. */
async function startOdd(behave: (socket: Socket) => void): Promise<OddServer> {
  const server = await startOddServer(behave);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** So many endpoints of one server, each of a name of its own, in a file. */
async function listOf(address: string, count: number): Promise<string> {
  const path = join(directory, `${count}-${address.split(":").at(-1)}.txt`);
  const lines = Array.from({ length: count }, (_, position) => `tls://${address}?servername=n${position}.example`);
  await writeFile(path, lines.join("\n"));
  return path;
}

/** Probes a list and watches the memory that it takes, in KiB at its peak. */
async function probeList(path: string, flags: readonly string[]) {
  const child = startBundle(["probe", "--file", path, ...flags]);
  endWithTest("certhup probe", child);
  let peakKiB = 0;
  // The peak is told by the kernel as long as there is a process with memory.
  await until(
    async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
      const [, tellsKiB] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
      peakKiB = Math.max(peakKiB, Number(tellsKiB ?? 0));
      return tellsKiB;
    },
    (tellsKiB) => tellsKiB === undefined,
    { timeoutMs: 50_000, what: "certhup probe to end" },
  );
  return { status: await child.ended, text: child.standardOutput(), peakKiB };
}

/** How many endpoints an answer tells of. */
const counters = {
  table: (text: string) => text.match(/^good +tls:/gm)?.length,
  json: (text: string) => JSON.parse(text).endpoints.length,
  prometheus: (text: string) => readSamples(text).samples.length / 3,
} as const;

test.for(Object.entries(counters))(
  "five thousand endpoints take hardly more memory than five hundred, as %s",
  async ([output, count]) => {
    const server = await startTlsServer(await authority.issue({ names: ["*.example"] }));
    onTestFinished(() => server[Symbol.asyncDispose]());
    const few = await probeList(await listOf(server.address, 500), ["--output", output]);
    const many = await probeList(await listOf(server.address, 5_000), ["--output", output]);
    expect([few.status, many.status]).toEqual([0, 0]);
    expect([count(few.text), count(many.text)]).toEqual([500, 5_000]);
    // Measured 5 to 9 MiB: an endpoint, and of what it serves no more than is printed.
    expect(many.peakKiB - few.peakKiB).toBeLessThan(16 * 1024);
  },
);

test("no more handshakes run at once than asked for, and silent servers cost their time limit together", async () => {
  const silent = await startOdd(() => undefined);
  const startMs = performance.now();
  const flags = ["--concurrency", "5", "--probe-timeout", "1s", "--probe-step-timeout", "200ms", "--output", "json"];
  const { status, text } = await probeList(await listOf(silent.address, 20), flags);
  const { endpoints } = JSON.parse(text);
  const durationMs = performance.now() - startMs;
  expect(status).toBe(1);
  expect(endpoints.every(({ reason }: { reason: string }) => reason === "timed-out")).toBe(true);
  expect(silent.count()).toBe(20);
  // Four times five of them, one after the other.
  expect(durationMs).toBeGreaterThanOrEqual(800);
  expect(durationMs).toBeLessThan(4_000);
});

/** Sends without end what the other side should have enough of soon. */
function pour(socket: Socket, piece: string | Buffer): void {
  const next = (): void => void (socket.destroyed || socket.write(piece, () => setImmediate(next)));
  next();
}

test("hostile servers neither hang the run nor hide what the others serve", async () => {
  const good = await startTlsServer(await authority.issue({ names: ["www.example"] }));
  onTestFinished(() => good[Symbol.asyncDispose]());
  const flood = await startOdd((socket) => pour(socket, Buffer.alloc(16_384, 0x16)));
  const banner = await startOdd((socket) => pour(socket, "220-\x1b[31mwelcome, welcome, welcome\r\n"));
  const halfHello = await startOdd((socket) =>
    socket.once("data", () => socket.write(Buffer.from([22, 3, 3, 0, 122, 2, 0]))),
  );
  const closing = await startOdd((socket) => socket.end());
  const resetting = await startOdd((socket) => socket.resetAndDestroy());
  const plain = await startOdd((socket) => socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  const slow = await startOdd((socket) => {
    const drip = setInterval(() => socket.write("2"), 50);
    socket.once("close", () => clearInterval(drip));
  });
  const hostile = [
    flood.address,
    `smtp://${banner.address}`,
    halfHello.address,
    closing.address,
    resetting.address,
    plain.address,
    `imap://${slow.address}`,
    `postgres://${flood.address}`,
    `ldap://${banner.address}`,
  ];
  const startMs = performance.now();
  const args = ["probe", ...hostile, good.address, "--probe-timeout", "1s", "--output", "json"];
  const { status, standardOutput, standardError } = await certhup(args);
  expect(performance.now() - startMs).toBeLessThan(5_000);
  expect({ status, standardError }).toEqual({ status: 1, standardError: "" });
  expect(standardOutput).not.toContain("\x1b");
  const { endpoints } = JSON.parse(standardOutput);
  const stateOf = (endpoint: string) =>
    endpoints.find((entry: { endpoint: string }) => entry.endpoint === endpoint)?.state;
  expect(hostile.map(stateOf)).toEqual(hostile.map(() => "unreachable"));
  expect(stateOf(good.address)).toBe("good");
  expect(
    endpoints.every(({ state, detail }: { state: string; detail: string }) => state === "good" || /\w/.test(detail)),
  ).toBe(true);
});

test("on a terminal a bar shows how far a long list is, and words are coloured unless NO_COLOR is set", async () => {
  const server = await startTlsServer(await authority.issue({ names: ["*.example"] }));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const probe = `"${process.execPath}" "${bundle}" probe --file "${await listOf(server.address, 60)}"`;
  // Whoever runs the tests may have said how they want their colours.
  const run = async (colours: string): Promise<string> => {
    const command = `env --unset=NO_COLOR --unset=FORCE_COLOR ${colours} ${probe}`;
    const child = startChild("script", ["--quiet", "--return", "--command", command, "/dev/null"], { TERM: "xterm" });
    endWithTest("certhup probe", child);
    expect(await child.ended).toBe(0);
    return child.standardOutput();
  };
  const shown = await run("");
  expect(shown).toMatch(/\r\[#{5}\.{25}\] 10\/60 probed/);
  expect(shown).toContain("] 60/60 probed");
  expect(shown).toContain("\x1b[32mgood\x1b[39m");
  expect(await run("NO_COLOR=1")).not.toContain("\x1b[32m");
});
