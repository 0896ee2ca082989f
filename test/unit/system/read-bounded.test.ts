import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { explainReadFailure, readBounded } from "../../../src/system/read-bounded.ts";

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-read-bounded-"));
  path = join(directory, "file");
});
afterEach(() => rm(directory, { recursive: true }));

async function explain(file: string, maxSizeBytes = 8): Promise<string> {
  const read = await readBounded(file, maxSizeBytes);
  return read.kind === "content" ? read.bytes.toString() : explainReadFailure(read.failure);
}

describe("a regular file", () => {
  test.each(["", "1", "12345678"])("with the content %j is read whole", async (content) => {
    await writeFile(path, content);
    expect(await explain(path)).toBe(content);
  });

  test("that is longer than allowed is not read", async () => {
    await writeFile(path, "123456789");
    expect(await explain(path)).toBe("is larger than 8 bytes");
  });

  test("that says it is empty and is not, as in /proc, is read up to the bound", async () => {
    expect(await explain("/proc/self/comm", 64)).toMatch(/\n$/);
    expect(await explain("/proc/self/status", 64)).toBe("is larger than 64 bytes");
  });

  test("has a buffer of its own", async () => {
    await writeFile(path, "12345678");
    const read = await readBounded(path, 8);
    expect(read.kind === "content" && read.bytes.buffer.byteLength).toBe(9);
  });
});

describe("anything else", () => {
  test("that isn't there says so", async () => {
    expect(await explain(path)).toBe("can't be read: ENOENT");
  });

  test("such as a directory is told apart", async () => {
    expect(await explain(directory)).toBe("can't be read: EISDIR");
  });

  test("such as a named pipe that nobody writes to is turned down at once", async () => {
    execFileSync("mkfifo", [path]);
    expect(await explain(path)).toBe("is no regular file");
  });

  test("such as a device without an end is turned down at once", async () => {
    expect(await explain("/dev/zero")).toBe("is no regular file");
  });

  test("such as a socket is turned down", async () => {
    const server = createServer().listen(path);
    await once(server, "listening");
    expect(await explain(path)).toBe("is no regular file");
    server.close();
    await once(server, "close");
  });
});
