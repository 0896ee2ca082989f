import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import process from "node:process";
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { readVolume } from "../../src/volume/read-volume.ts";
import { createScratch, requestFor } from "../unit/volume/scratch.ts";

const program = fileURLToPath(new URL("../support/secret-volume-writer.ts", import.meta.url));
const looksAtOnce = 3;
/** A hundred thousand in both orders together. */
const looksPerOrder = 50_001;

interface Writer {
  /** Ends it, and gives the number of the last version published. */
  end(): Promise<number>;
}

async function startWriter(directory: string, order: string): Promise<Writer> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [program, directory, order], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("started");
  return {
    async end() {
      child.stdin.end();
      return Number((await lines.next()).value);
    },
  };
}

async function countDescriptors(): Promise<number> {
  return (await readdir("/proc/self/fd")).length;
}

/** The version that all files agree on; otherwise what was found instead. */
async function readVersion(directory: string): Promise<string> {
  const read = await readVolume(requestFor(directory));
  if (read.kind === "unreadable") return read.findings.map((finding) => finding.code).join(" ");
  const [version = ""] = read.certificate.toString().split("\n", 1);
  const whole = `${version}\n`.repeat(100 + (Number(version) % 50));
  const files = [read.certificate, read.key, read.ca].filter((file) => file !== undefined);
  return files.every((file) => file.toString() === whole)
    ? version
    : `torn: ${files.map((file) => file.subarray(0, 8))}`;
}

/** Looks as often as asked for; gives every result with how often it came. */
async function lookManyTimes(directory: string, looks: number): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  const lookOn = async (): Promise<void> => {
    for (let look = 0; look < looks / looksAtOnce; look++) {
      const version = await readVersion(directory);
      results.set(version, (results.get(version) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: looksAtOnce }, lookOn));
  return results;
}

test.for(["current", "old"])(
  "in 50,000 looks a writer of the %s order that swaps without a pause never tears a pair, hides a file or costs a descriptor",
  { timeout: 180_000 },
  async (order) => {
    const directory = await createScratch();
    const writer = await startWriter(directory, order);
    await readVersion(directory);
    const descriptors = await countDescriptors();

    const results = await lookManyTimes(directory, looksPerOrder);

    expect(await countDescriptors()).toBeLessThanOrEqual(descriptors);
    expect([...results.keys()].filter((version) => !/^\d+$/.test(version))).toEqual([]);
    expect(results.size).toBeGreaterThan(100);
    const last = await writer.end();
    expect(await readVersion(directory)).toBe(String(last));
  },
);

test("files overwritten in place without a pause end as what was written last", async () => {
  const directory = await createScratch();
  const writer = await startWriter(directory, "in-place");

  await lookManyTimes(directory, 1_500);

  const last = await writer.end();
  expect(await readVersion(directory)).toBe(String(last));
});
