import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { readMemory } from "../support/process-memory.ts";
import { startTlsServer } from "../support/tls-server.ts";
import { until } from "../support/until.ts";

const program = fileURLToPath(new URL("probe-client-key-child.ts", import.meta.url));

/** How probes with these files ended, and which lines of the key the process still holds after them. */
async function probeWith(files: Readonly<Record<string, string>>, query: (folder: string) => string, keyPem: string) {
  const folder = await mkdtemp(join(tmpdir(), "certhup-client-key-"));
  await using server = await startTlsServer(await createAuthority().issue({ names: ["a.example"] }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const child = spawn(process.execPath, [program, `${server.address}?${query(folder)}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    await until(
      () => output,
      (text) => text.endsWith("\n"),
      { timeoutMs: 30_000 },
    );
    const lines = keyPem.split("\n").filter((line) => line.length === 64);
    const regions = readMemory(child.pid ?? 0);
    const isHeld = (line: string): boolean => regions.some((region) => region.includes(line));
    expect(isHeld(folder)).toBe(true);
    return { ends: output.trim(), lines: lines.length, held: lines.filter(isHeld).length };
  } finally {
    child.stdin.end();
    await once(child, "exit");
    await rm(folder, { recursive: true });
  }
}

test("a client's certificate and key in one file leave no line of the key in memory", async () => {
  const { certificatePem, keyPem } = await createAuthority().issue({ names: ["b.example"], keyType: "rsa-2048" });
  const oneFile = (folder: string): string => `client-cert=${folder}/both.pem&client-key=${folder}/both.pem`;
  const seen = await probeWith({ "both.pem": certificatePem + keyPem }, oneFile, keyPem);
  expect(seen).toEqual({ ends: "served", lines: 25, held: 0 });
});

test("a client's pair that is none leaves no line of the key in memory", async () => {
  const { certificatePem } = await createAuthority().issue({ names: ["b.example"], keyType: "rsa-2048" });
  const { keyPem } = await createAuthority().issue({ names: ["b.example"], keyType: "rsa-2048" });
  const oneFile = (folder: string): string => `client-cert=${folder}/both.pem&client-key=${folder}/both.pem`;
  const seen = await probeWith({ "both.pem": certificatePem + keyPem }, oneFile, keyPem);
  expect(seen).toEqual({ ends: "client-certificate-unusable", lines: 25, held: 0 });
});

test("a client's certificate that holds the key as well leaves no line of it in memory where the key can't be read", async () => {
  const { certificatePem, keyPem } = await createAuthority().issue({ names: ["b.example"], keyType: "rsa-2048" });
  const noKey = (folder: string): string => `client-cert=${folder}/both.pem&client-key=${folder}/missing.pem`;
  const seen = await probeWith({ "both.pem": certificatePem + keyPem }, noKey, keyPem);
  expect(seen).toEqual({ ends: "client-certificate-unusable", lines: 25, held: 0 });
});
