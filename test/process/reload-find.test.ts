import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { kill } from "node:process";
import { describe, expect, test } from "vitest";
import { findProcess } from "../../src/process/find-process.ts";
import { readChildren } from "../../src/process/related-processes.ts";
import { copyProgram, startProgram } from "../support/child-program.ts";
import { until } from "../support/until.ts";

const sleep = execFileSync("bash", ["-c", "type -P sleep"], { encoding: "utf8" }).trim();

describe("a server among real processes", () => {
  test("is found by a name longer than the kernel keeps, beside one that begins alike", async () => {
    await using file = await copyProgram(sleep, "certhup-long-name-server");
    await using other = await copyProgram(sleep, "certhup-long-name-worker");
    await using server = await startProgram([file.path, "60"]);
    await using lookAlike = await startProgram([other.path, "60"]);
    expect(server.info.comm).toBe("certhup-long-na");
    expect(lookAlike.info.comm).toBe("certhup-long-na");
    expect(await findProcess({ name: "certhup-long-name-server" })).toMatchObject({ process: { pid: server.pid } });
  });

  test("is found by its program file when it calls itself something else", async () => {
    await using file = await copyProgram(sleep, "certhup-by-file");
    await using server = await startProgram([file.path, "60"], { title: "some title" });
    expect(await findProcess({ name: "certhup-by-file" })).toMatchObject({ process: { pid: server.pid } });
  });

  test("is found by its title", async () => {
    await using server = await startProgram([sleep, "60"], { title: "certhup-titled: master process" });
    expect(await findProcess({ name: "certhup-titled" })).toMatchObject({ process: { pid: server.pid } });
  });

  test("is not the reader of its log", async () => {
    await using file = await copyProgram(sleep, "certhup-served");
    await using reader = await startProgram(["tail", "-f", "/dev/null", file.path]);
    await using server = await startProgram([file.path, "60"]);
    expect(reader.isAlive()).toBe(true);
    expect(await findProcess({ name: "certhup-served" })).toMatchObject({ process: { pid: server.pid } });
  });

  test("is found below the shell that waits for it, and the shell alone is refused", async () => {
    await using file = await copyProgram(sleep, "certhup-wrapped");
    const line = `${file.path} 60; true`;
    await using shell = await startProgram(["bash", "-c", line], { isReady: (process) => process.argv[2] === line });
    const [child] = await until(
      () => readChildren(shell.pid, "/proc"),
      (children) => children[0]?.comm === "certhup-wrapped",
    );
    const match = /certhup-wrapped 60/;
    expect(await findProcess({ match })).toMatchObject({ process: { pid: child?.pid } });
    kill(child?.pid ?? 0, "SIGSTOP");
    const self = { pid: child?.pid ?? 0 };
    expect(await findProcess({ match }, { self })).toMatchObject({ kind: "none", reason: "wrapper-only" });
    kill(child?.pid ?? 0, "SIGKILL");
  });

  test("is none where only its zombie is left, and is found beside the zombie", async () => {
    // Not every init collects the dead of earlier runs.
    const name = `zombie-${randomBytes(4).toString("hex")}`;
    await using file = await copyProgram(sleep, name);
    // A process that becomes another program never asks for the child it had before.
    await using parent = await startProgram([sleep, "60"], { before: `${file.path} 0 &` });
    const [zombiePid] = await until(
      () => listChildPids(parent.pid),
      (pids) => pids.length === 1,
    );
    const found = await until(
      () => findProcess({ name }),
      ({ kind }) => kind === "none",
    );
    expect(found).toMatchObject({
      kind: "none",
      reason: "no-process",
      detail: `${name} (pid ${zombiePid}) is defunct: ended, and not yet collected by the parent`,
    });
    await using server = await startProgram([file.path, "60"]);
    expect(await findProcess({ name })).toMatchObject({ process: { pid: server.pid } });
  });

  test("is ambiguous when two of them run", async () => {
    await using file = await copyProgram(sleep, "certhup-twins");
    await using first = await startProgram([file.path, "60"]);
    await using second = await startProgram([file.path, "61"]);
    expect(await findProcess({ name: "certhup-twins" })).toMatchObject({
      kind: "ambiguous",
      processes: [first.pid, second.pid].sort((a, b) => a - b).map((pid) => ({ pid })),
    });
    expect(await findProcess({ match: /certhup-twins 61$/ })).toMatchObject({ process: { pid: second.pid } });
  });
});

/** Zombies included. */
async function listChildPids(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean);
}

test("a pattern that backtracks without end is told, and stops nothing", async () => {
  const search = await findProcess({ match: /(.*)*(.*)*(.*)*(.*)*!$/ });
  expect(search).toMatchObject({
    kind: "none",
    detail: "the pattern of --process-match takes too long on the command lines of this pod",
  });
});
