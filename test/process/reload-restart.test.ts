import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProcessInfo } from "../../src/process/process-info.ts";
import { createRestartStrategy, type RestartCandidate, type RestartStrategyOptions } from "../../src/reload/restart.ts";
import { systemClock } from "../../src/system/clock.ts";
import { startProgram } from "../support/child-program.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;
const sleep = execFileSync("bash", ["-c", "type -P sleep"], { encoding: "utf8" }).trim();

let directory: string;
let pidFile: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-restart-"));
  pidFile = join(directory, "server.pid");
});
afterEach(() => rm(directory, { recursive: true }));

async function strategyFor(pid: number, options: Partial<RestartStrategyOptions> = {}) {
  await writeFile(pidFile, `${pid}\n`);
  return createRestartStrategy({
    selector: { pidFile },
    graceMs: 5_000,
    killAfterGrace: false,
    clock: systemClock,
    ...options,
  });
}

function startTrapping(onTerminate: string) {
  const script = `trap '${onTerminate}' TERM; while :; do sleep 0.05; done`;
  return startProgram(["bash", "-c", script], { isReady: catchesTerminate });
}

function catchesTerminate({ caughtSignals }: ProcessInfo): boolean {
  return ((caughtSignals ?? 0n) & (1n << 14n)) !== 0n;
}

describe("a server that is restarted", () => {
  test("has ended when the outcome is accepted", async () => {
    await using server = await startProgram([sleep, "60"]);
    const strategy = await strategyFor(server.pid);
    expect(await strategy.prepare()).toEqual([]);
    expect(server.isAlive()).toBe(true);
    expect(await strategy.reload(never)).toEqual({
      kind: "accepted",
      detail: `sleep (pid ${server.pid}) ended on SIGTERM`,
    });
    expect(server.isAlive()).toBe(false);
  });

  test("may take its time to end", async () => {
    await using server = await startTrapping("sleep 0.4; exit 0");
    expect(await (await strategyFor(server.pid)).reload(never)).toMatchObject({ kind: "accepted" });
    expect(server.isAlive()).toBe(false);
  });

  test("has ended although its parent doesn't collect it", async () => {
    await using parent = await startProgram([sleep, "60"], {
      before: `${sleep} 60 & echo $! >${pidFile}`,
    });
    const strategy = createRestartStrategy({
      selector: { pidFile },
      graceMs: 5_000,
      killAfterGrace: false,
      clock: systemClock,
    });
    await until(strategy.prepare, (findings) => findings.length === 0);
    expect(await strategy.reload(never)).toMatchObject({ kind: "accepted" });
    expect(parent.isAlive()).toBe(true);
  });
});

describe("a server that doesn't end", () => {
  test("is never killed unless that is asked for", async () => {
    await using server = await startTrapping("true");
    const strategy = await strategyFor(server.pid, { graceMs: 300 });
    expect(await strategy.reload(never)).toMatchObject({ kind: "timed-out" });
    expect(server.isAlive()).toBe(true);
  });

  test("is killed after the grace where that is asked for", async () => {
    await using server = await startTrapping("true");
    const strategy = await strategyFor(server.pid, { graceMs: 300, killAfterGrace: true });
    expect(await strategy.reload(never)).toEqual({
      kind: "accepted",
      detail: `bash (pid ${server.pid}) took no notice of SIGTERM for 300 ms and was ended by SIGKILL`,
    });
    expect(server.isAlive()).toBe(false);
  });

  test("because it ignores SIGTERM is found before, and not signalled", async () => {
    await using server = await startProgram([sleep, "60"], { before: "trap '' TERM" });
    const strategy = await strategyFor(server.pid);
    const detail = `sleep (pid ${server.pid}) ignores SIGTERM and would not end`;
    expect(await strategy.prepare()).toMatchObject([{ code: "signal-ignored", message: detail }]);
    expect(await strategy.reload(never)).toMatchObject({ kind: "refused", reason: "signal-ignored", detail });
  });

  test("is waited for no longer when the agent stops", async () => {
    await using server = await startTrapping("true");
    const abort = new AbortController();
    const settled = (await strategyFor(server.pid, { graceMs: 60_000 })).reload(abort.signal);
    abort.abort();
    expect(await settled).toMatchObject({ kind: expect.stringMatching(/timed-out|refused/) });
  });
});

describe("a restart that isn't permitted", () => {
  test.each([
    ["restart-too-soon", "hold"],
    ["restart-in-progress", "hold"],
    ["subpath-mount", "refuse"],
  ] as const)("for %s leaves the server alone", async (reason, severity) => {
    await using server = await startProgram([sleep, "60"]);
    const withheld = { kind: "withheld", reason, detail: "not now", hint: "wait", retryAfterMs: 500 } as const;
    const strategy = await strategyFor(server.pid, { permit: () => withheld });
    expect(await strategy.prepare()).toEqual([{ code: reason, severity, message: "not now", hint: "wait" }]);
    expect(await strategy.reload(never)).toEqual({ ...withheld, kind: "refused" });
    expect(server.isAlive()).toBe(true);
  });

  test("can be decided by how long the server has been running", async () => {
    await using server = await startProgram([sleep, "60"]);
    const asked: RestartCandidate[] = [];
    const permit = (candidate: RestartCandidate) => {
      asked.push(candidate);
      return { kind: "granted" } as const;
    };
    const strategy = await strategyFor(server.pid, { permit });
    await strategy.prepare();
    const later = await until(
      async () => {
        await strategy.prepare();
        return asked;
      },
      (all) => (all.at(-1)?.ageMs ?? 0) > 300,
    );
    expect(later.every(({ pid, ageMs }) => pid === server.pid && ageMs >= 0 && ageMs < 20_000)).toBe(true);
  });

  test("after the reload was called off is not asked for", async () => {
    await using server = await startProgram([sleep, "60"]);
    expect(await (await strategyFor(server.pid)).reload(AbortSignal.abort())).toMatchObject({ reason: "cancelled" });
    expect(server.isAlive()).toBe(true);
  });
});

test("a server that is gone already is being restarted by somebody, and there is nothing to end", async () => {
  const strategy = createRestartStrategy({
    selector: { pidFile },
    graceMs: 100,
    killAfterGrace: false,
    clock: systemClock,
  });
  expect(await strategy.reload(never)).toMatchObject({ kind: "refused", reason: "no-process" });
});
