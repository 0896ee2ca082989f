import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kill } from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isDefunct } from "../../../src/process/process-info.ts";
import type { ArgumentList } from "../../../src/reload/argument-list.ts";
import { createExecStrategy } from "../../../src/reload/exec.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { readProcess } from "../../support/read-process.ts";
import { until } from "../../support/until.ts";

const never = new AbortController().signal;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-exec-"));
});
afterEach(() => rm(directory, { recursive: true }));

function strategy(command: ArgumentList, timeoutMs = 5_000) {
  return createExecStrategy({ command, timeoutMs, clock: systemClock });
}

function shell(script: string, timeoutMs?: number) {
  return strategy(["sh", "-c", script, "sh", directory], timeoutMs);
}

async function readPid(name: string): Promise<number> {
  return Number(
    await until(
      () => readFile(join(directory, name), "utf8"),
      (text) => text.endsWith("\n"),
    ),
  );
}

async function isRunning(pid: number): Promise<boolean> {
  const process = await readProcess(pid);
  return process !== undefined && !isDefunct(process);
}

describe("a command that ends", () => {
  test("with status 0 is accepted", async () => {
    expect(await strategy(["true"]).reload(never)).toEqual({ kind: "accepted", detail: "true ended with status 0" });
  });

  test("with another status is refused, and its last words are told", async () => {
    expect(await shell("echo first; echo 'no such file' >&2; exit 3").reload(never)).toMatchObject({
      kind: "refused",
      reason: "command-failed",
      detail: "sh ended with status 3: first / no such file",
    });
  });

  test("by a signal is refused", async () => {
    expect(await shell("kill -SEGV $$").reload(never)).toMatchObject({
      reason: "command-failed",
      detail: "sh was ended by SIGSEGV and wrote nothing",
    });
  });

  test("tells only the end of a long output, with nothing that a terminal would obey", async () => {
    const outcome = await shell("head -c 1000000 /dev/zero | tr '\\0' x; printf '\\033[31mred\\n'; exit 1").reload(
      never,
    );
    expect(outcome).toMatchObject({
      detail: expect.stringMatching(/^sh ended with status 1: …x{280,}.*\\x1b\[31mred$/),
    });
  });

  test("gets its arguments as they are written, and no input", async () => {
    const outcome = await strategy(["sh", "-c", 'cat; echo "$1"', "sh", "$(id) * ;"]).reload(never);
    expect(outcome).toEqual({ kind: "accepted", detail: "sh ended with status 0: $(id) * ;" });
  });
});

describe("a command that can't be started", () => {
  test("is found before the renewal, and refused", async () => {
    const missing = strategy([join(directory, "missing")]);
    const detail = `${join(directory, "missing")} could not be started: there is no such program`;
    expect(await missing.prepare()).toMatchObject([
      { code: "command-not-started", severity: "refuse", message: detail },
    ]);
    expect(await missing.reload(never)).toMatchObject({ kind: "refused", reason: "command-not-started", detail });
  });

  test("may lack the right to be run", async () => {
    const file = join(directory, "plain");
    await writeFile(file, "#!/bin/sh\n");
    await chmod(file, 0o644);
    expect(await strategy([file]).prepare()).toMatchObject([{ message: expect.stringContaining("may not be run") }]);
    expect(await strategy([file]).reload(never)).toMatchObject({ reason: "command-not-started" });
  });

  test("may be missing from the PATH", async () => {
    expect(await strategy(["certhup-has-no-such-command"]).reload(never)).toMatchObject({
      reason: "command-not-started",
      detail: "certhup-has-no-such-command could not be started: there is no such program",
    });
  });

  test("may have too many arguments", async () => {
    expect(await strategy(["true", "x".repeat(3_000_000)]).reload(never)).toMatchObject({
      reason: "command-not-started",
      detail: "true could not be started: its arguments are too long",
    });
  });
});

describe("a command that doesn't end", () => {
  test("is ended with its children when the time is over", async () => {
    const script = "sleep 60 & echo $! >$1/child; echo $$ >$1/leader; wait";
    expect(await shell(script, 400).reload(never)).toEqual({ kind: "timed-out", afterMs: 400 });
    expect(await isRunning(await readPid("leader"))).toBe(false);
    expect(await isRunning(await readPid("child"))).toBe(false);
  });

  test("is ended by SIGKILL when it takes no notice of SIGTERM", async () => {
    const script = "trap '' TERM; echo $$ >$1/leader; while :; do sleep 0.1; done";
    expect(await shell(script, 300).reload(never)).toEqual({ kind: "timed-out", afterMs: 300 });
    expect(await isRunning(await readPid("leader"))).toBe(false);
  });

  test("is ended when the reload is called off", async () => {
    const abort = new AbortController();
    const settled = shell("echo $$ >$1/leader; sleep 60").reload(abort.signal);
    const leader = await readPid("leader");
    abort.abort();
    expect(await settled).toMatchObject({ kind: "refused", reason: "cancelled" });
    expect(await isRunning(leader)).toBe(false);
  });

  test("is not started when the reload was called off before", async () => {
    expect(await shell("touch $1/started").reload(AbortSignal.abort())).toMatchObject({ reason: "cancelled" });
    await expect(readFile(join(directory, "started"))).rejects.toThrow("ENOENT");
  });
});

describe("what a command leaves behind", () => {
  test("is ended with its process group, and doesn't delay the outcome", async () => {
    const outcome = await shell("sleep 60 & echo $! >$1/child; echo done").reload(never);
    expect(outcome).toEqual({ kind: "accepted", detail: "sh ended with status 0: done" });
    expect(await isRunning(await readPid("child"))).toBe(false);
  });

  test("lives on in a session of its own, even when it holds the output", async () => {
    const outcome = await shell("setsid sleep 60 & echo $! >$1/child; sleep 0.2").reload(never);
    expect(outcome).toEqual({ kind: "accepted", detail: "sh ended with status 0" });
    const pid = await readPid("child");
    expect(await isRunning(pid)).toBe(true);
    kill(pid, "SIGKILL");
  });
});
