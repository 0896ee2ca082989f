import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findProcess, type ProcessSearch, type ProcessSelector } from "../../../src/process/find-process.ts";
import { createProcTree } from "../../support/proc-fixture.ts";

let directory: string;
let pidFile: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-pid-file-"));
  pidFile = join(directory, "nginx.pid");
});
afterEach(() => rm(directory, { recursive: true }));

async function search(selector: ProcessSelector = { pidFile }): Promise<ProcessSearch> {
  await using tree = await createProcTree(20, [
    { pid: 1, ppid: 0, comm: "pause", argv: ["/pause"] },
    { pid: 20, ppid: 0, comm: "node", argv: ["node", "/app/certhup.mjs"] },
    { pid: 7, ppid: 0, comm: "nginx", argv: ["nginx: master process nginx"] },
    { pid: 8, ppid: 7, comm: "nginx", argv: ["nginx: worker process"] },
    { pid: 9, ppid: 0, comm: "sleep" },
    { pid: 10, ppid: 9, comm: "nginx", argv: [], state: "Z" },
    { pid: 11, ppid: 0, comm: "sh", argv: ["sh", "loop.sh"] },
  ]);
  return await findProcess(selector, { procRoot: tree.root, self: { pid: 20 } });
}

describe("the pid in a file", () => {
  test.each(["7", "7\n", "  7 \n", "7\r\n", "7\n/var/lib/postgresql/15/main\n1700000000\n5432\n"])(
    "is read from %j",
    async (content) => {
      await writeFile(pidFile, content);
      expect(await search()).toMatchObject({ kind: "found", process: { pid: 7 } });
    },
  );

  test("is read anew each time", async () => {
    await writeFile(pidFile, "7");
    await search();
    await writeFile(pidFile, "9");
    expect(await search()).toMatchObject({ process: { pid: 9 } });
  });

  test("may be that of a shell, since it was named", async () => {
    await writeFile(pidFile, "11");
    expect(await search()).toMatchObject({ process: { pid: 11 } });
  });

  test("chooses among processes that a name leaves ambiguous", async () => {
    await writeFile(pidFile, "7");
    expect(await search({ pidFile, name: "nginx" })).toMatchObject({ process: { pid: 7 } });
  });
});

describe("a pid file is unusable", () => {
  test.each(["", "\n", "nginx", "-7", "7x", "0", "99999999", "0x7"])("with the content %j", async (content) => {
    await writeFile(pidFile, content);
    expect(await search()).toMatchObject({ kind: "none", reason: "pid-file-unusable" });
  });

  test("without showing its content", async () => {
    await writeFile(pidFile, "-----BEGIN PRIVATE KEY-----");
    const { detail } = (await search()) as { detail: string };
    expect(detail).toBe(`pid file ${pidFile} doesn't begin with a pid`);
  });

  test("when it is a directory", async () => {
    expect(await search({ pidFile: directory })).toMatchObject({
      reason: "pid-file-unusable",
      detail: `pid file ${directory} can't be read: EISDIR`,
    });
  });

  test("when it is a named pipe, which would be waited for for ever", async () => {
    execFileSync("mkfifo", [pidFile]);
    expect(await search()).toMatchObject({
      reason: "pid-file-unusable",
      detail: `pid file ${pidFile} is no regular file`,
    });
  });

  test("when it is far larger than any pid file", async () => {
    await writeFile(pidFile, `7\n${"x".repeat(4_096)}`);
    expect(await search()).toMatchObject({
      reason: "pid-file-unusable",
      detail: `pid file ${pidFile} is larger than 4096 bytes`,
    });
  });

  test("when it names PID 1 of another namespace, which is pause here", async () => {
    await writeFile(pidFile, "1");
    expect(await search()).toMatchObject({
      reason: "pid-file-unusable",
      detail: `pid file ${pidFile} names pid 1, which is the pod's pause container`,
    });
  });

  test("when it names the agent", async () => {
    await writeFile(pidFile, "20");
    expect(await search()).toMatchObject({ detail: `pid file ${pidFile} names pid 20, which is the agent itself` });
  });

  test("when its pid is another program's by now", async () => {
    await writeFile(pidFile, "9");
    expect(await search({ pidFile, name: "nginx" })).toMatchObject({
      reason: "pid-file-unusable",
      detail: `pid file ${pidFile} names pid 9, which is sleep, and not one that is named nginx`,
    });
  });
});

describe("there is no process", () => {
  test("while the pid file isn't there", async () => {
    expect(await search()).toMatchObject({ reason: "no-process", detail: `pid file ${pidFile} isn't there` });
  });

  test("when the pid file is left over", async () => {
    await writeFile(pidFile, "4711");
    expect(await search()).toMatchObject({
      reason: "no-process",
      detail: `pid file ${pidFile} names pid 4711, and there is no such process`,
    });
  });

  test("when the process of the pid file is defunct", async () => {
    await writeFile(pidFile, "10");
    expect(await search()).toMatchObject({ reason: "no-process", detail: expect.stringContaining("defunct") });
  });

  test("to tell when the pid file names a worker", async () => {
    await writeFile(pidFile, "8");
    expect(await search()).toMatchObject({ reason: "pid-file-unusable", detail: expect.stringContaining("worker") });
  });
});
