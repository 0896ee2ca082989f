import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAuthority, type IssuedKeyType } from "../support/certificates.ts";
import { readMemory } from "../support/process-memory.ts";
import { until } from "../support/until.ts";

/** The same secret in the forms in which it could lie in memory. */
interface Traces {
  /** Full lines of the PEM text. */
  readonly lines: readonly Buffer[];
  /** The private number as in DER, and with its words reversed as OpenSSL keeps it. */
  readonly numbers: readonly Buffer[];
}

const program = fileURLToPath(new URL("keypair-hygiene-child.ts", import.meta.url));
const keyTypes: readonly IssuedKeyType[] = ["ec-p256", "rsa-2048", "ec-p384", "ec-p256"];
let folder: string;
let child: ChildProcessByStdio<Writable, Readable, null>;
let superseded: readonly Traces[];
let current: Traces;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "certhup-hygiene-"));
  const authority = createAuthority();
  const traces: Traces[] = [];
  for (const [index, keyType] of keyTypes.entries()) {
    const { certificatePem, keyPem } = await authority.issue({ names: ["a.example"], keyType });
    const pair = join(folder, String(index));
    mkdirSync(pair);
    writeFileSync(join(pair, "tls.crt"), certificatePem);
    writeFileSync(join(pair, "tls.key"), keyPem);
    traces.push(toTraces(keyPem));
  }
  superseded = traces.slice(0, -1);
  current = traces[traces.length - 1] ?? { lines: [], numbers: [] };
  const folders = keyTypes.map((_, index) => join(folder, String(index)));
  const args = ["--expose-gc", program, join(folder, "snapshot"), ...folders];
  child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await until(
    () => output,
    (text) => text.includes("holds CN=a.example"),
    { timeoutMs: 30_000 },
  );
});

afterAll(async () => {
  child.stdin.end();
  await until(
    () => child.exitCode,
    (code) => code === 0,
  );
  rmSync(folder, { recursive: true });
});

describe("key hygiene", () => {
  test("a heap snapshot after rotations holds no line of any private key, not even of the current one", () => {
    const snapshot = readFileSync(join(folder, "snapshot"));
    const found = [...superseded, current].flatMap(({ lines }) => lines.filter((line) => snapshot.includes(line)));
    expect(snapshot.includes("a.example")).toBe(true);
    expect(found).toHaveLength(0);
  });

  test("the memory of the process holds no trace of a superseded private key, only the current one", async () => {
    const { pid } = child;
    expect(pid).toBeDefined();
    await until(
      () => countTraces(readMemory(pid ?? 0), superseded),
      ({ lines, numbers }) => lines + numbers === 0,
      { everyMs: 200 },
    );
    const traces = countTraces(readMemory(pid ?? 0), [current]);
    expect(traces).toEqual({ lines: 0, numbers: expect.toSatisfy((count) => count > 0) });
  });
});

function toTraces(keyPem: string): Traces {
  const { d } = createPrivateKey(keyPem).export({ format: "jwk" });
  const number = Buffer.from(String(d), "base64url");
  return {
    lines: keyPem
      .split("\n")
      .filter((line) => line.length === 64)
      .map((line) => Buffer.from(line)),
    numbers: [number.subarray(0, 32), Buffer.from(number).reverse().subarray(0, 32)],
  };
}

function countTraces(regions: readonly Buffer[], traces: readonly Traces[]): { lines: number; numbers: number } {
  const count = (needles: readonly Buffer[]): number =>
    needles.filter((needle) => regions.some((region) => region.includes(needle))).length;
  return {
    lines: count(traces.flatMap(({ lines }) => lines)),
    numbers: count(traces.flatMap(({ numbers }) => numbers)),
  };
}
