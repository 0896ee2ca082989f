import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSignalStrategy } from "../../src/reload/signal.ts";
import { startProgram } from "../support/child-program.ts";
import { until } from "../support/until.ts";

const run = promisify(execFile);
const sleep = execFileSync("bash", ["-c", "type -P sleep"], { encoding: "utf8" }).trim();
const hangUp = { name: "SIGHUP", number: 1 } as const;
const abort = new AbortController().signal;

let directory: string;
let pidFile: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-signal-"));
  pidFile = join(directory, "server.pid");
});
afterEach(() => rm(directory, { recursive: true }));

async function strategyFor(pid: number, allowUnhandled = false) {
  await writeFile(pidFile, `${pid}\n`);
  return createSignalStrategy({ selector: { pidFile }, signal: hangUp, allowUnhandled });
}

describe("a server with a handler", () => {
  test("is told, and has nothing to find against it", async () => {
    const log = join(directory, "log");
    const script = `trap 'echo reloaded >>${log}' HUP; while :; do sleep 0.05; done`;
    await using server = await startProgram(["bash", "-c", script], {
      isReady: (process) => ((process.caughtSignals ?? 0n) & 1n) !== 0n,
    });
    const strategy = await strategyFor(server.pid);
    expect(await strategy.prepare()).toEqual([]);
    expect(await strategy.reload(abort)).toEqual({
      kind: "accepted",
      detail: `sent SIGHUP to bash (pid ${server.pid})`,
    });
    expect(
      await until(
        () => readFile(log, "utf8"),
        (text) => text !== "",
      ),
    ).toBe("reloaded\n");
  });
});

describe("a server without a handler", () => {
  test("is not signalled, and lives on", async () => {
    await using server = await startProgram([sleep, "60"]);
    const strategy = await strategyFor(server.pid);
    const detail = `sleep (pid ${server.pid}) has no handler for SIGHUP: it would end the process`;
    expect(await strategy.prepare()).toMatchObject([
      { code: "signal-not-handled", severity: "refuse", message: detail },
    ]);
    expect(await strategy.reload(abort)).toMatchObject({ kind: "refused", reason: "signal-not-handled", detail });
    expect(server.isAlive()).toBe(true);
  });

  test("is signalled when the user insists, and ends", async () => {
    await using server = await startProgram([sleep, "60"]);
    const strategy = await strategyFor(server.pid, true);
    expect(await strategy.prepare()).toEqual([]);
    expect(await strategy.reload(abort)).toMatchObject({ kind: "accepted" });
    await until(server.isAlive, (alive) => !alive);
  });

  test("is not signalled after the reload was called off", async () => {
    await using server = await startProgram([sleep, "60"]);
    const strategy = await strategyFor(server.pid, true);
    expect(await strategy.reload(AbortSignal.abort())).toMatchObject({ kind: "refused", reason: "cancelled" });
    expect(server.isAlive()).toBe(true);
  });
});

test("a server that ignores the signal is not signalled", async () => {
  await using server = await startProgram([sleep, "60"], { before: "trap '' HUP" });
  const strategy = await strategyFor(server.pid);
  const detail = `sleep (pid ${server.pid}) ignores SIGHUP`;
  expect(await strategy.prepare()).toMatchObject([{ code: "signal-ignored", message: detail }]);
  expect(await strategy.reload(abort)).toMatchObject({ kind: "refused", reason: "signal-ignored", detail });
});

test("a server that isn't there may still come", async () => {
  const strategy = createSignalStrategy({ selector: { pidFile }, signal: hangUp, allowUnhandled: false });
  expect(await strategy.prepare()).toMatchObject([{ code: "no-process", severity: "hold" }]);
});

describe("an agent without rights", () => {
  async function askAs(uid: number, pid: number) {
    await writeFile(pidFile, `${pid}\n`);
    await run("chmod", ["0755", directory]);
    const { stdout } = await run(execPath, ["test/support/child-without-rights.ts", pidFile, String(uid)]);
    return JSON.parse(stdout);
  }

  test("learns at start that it may not signal another user's server, with both users and the remedies", async () => {
    await using server = await startProgram([sleep, "60"], { before: "trap '' USR1" });
    const detail = `the agent runs as uid 65534 and may not signal sleep (pid ${server.pid}) of uid 0`;
    const hint = expect.stringMatching(/uid 0 .*runAsUser.*KILL/);
    const { findings } = await askAs(65_534, server.pid);
    expect(findings[0]).toEqual({ code: "not-permitted", severity: "refuse", message: detail, hint });
  });

  test("may signal a server of the same user", async () => {
    const command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "bash", "-c"];
    await using server = await startProgram([...command, "trap : HUP; while :; do sleep 0.05; done"], {
      isReady: (process) => process.comm === "bash" && ((process.caughtSignals ?? 0n) & 1n) !== 0n,
    });
    expect(await askAs(65_534, server.pid)).toEqual({
      findings: [],
      outcome: { kind: "accepted", detail: `sent SIGHUP to bash (pid ${server.pid})` },
    });
  });
});

describe("in a process namespace of its own", () => {
  const namespace = ["--pid", "--fork", "--mount-proc", "--kill-child"];

  test("a pid that is another process by now is not signalled", async () => {
    const { stdout } = await run("unshare", [...namespace, execPath, "test/support/child-pid-reuse.ts"]);
    expect(JSON.parse(stdout)).toMatchObject({
      delivery: { kind: "refused", reason: "process-changed", detail: expect.stringContaining("sleep (pid 20000)") },
      isSuccessorAlive: true,
    });
  });

  test("the agent alone tells that the namespace isn't shared", async () => {
    const { stdout } = await run("unshare", [...namespace, execPath, "test/support/child-find.ts", "sleep"]);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "none", reason: "process-namespace-not-shared" });
  });

  test("whose /proc is still that of the outer one, nothing is found rather than a wrong pid", async () => {
    const child = [execPath, "test/support/child-find.ts", "sleep"];
    const { stdout } = await run("unshare", ["--pid", "--fork", "--kill-child", ...child]);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "none", reason: "process-namespace-not-shared" });
  });

  test("a /proc that hides the processes of others is told from a namespace that isn't shared", async () => {
    const script = 'mount -t proc -o hidepid=invisible proc /proc && exec "$@"';
    const child = [execPath, "test/support/child-find.ts", "sleep", "61234"];
    const { stdout } = await run("unshare", ["--mount", "sh", "-c", script, "sh", ...child]);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "none",
      reason: "process-namespace-not-shared",
      detail: "only the agent's own processes are visible: /proc hides those of other users",
      hint: expect.stringContaining("hidepid"),
    });
  });

  test("the first process is known to drop a signal that it has no handler for", async () => {
    const inside = ["bash", "-c", `exec -a certhup-first ${sleep} 60`];
    const isReady = (process: { argv: readonly string[] }) => process.argv[0] === "unshare";
    await using _ = await startProgram(["unshare", ...namespace, ...inside], { isReady });
    const strategy = createSignalStrategy({
      selector: { name: "certhup-first" },
      signal: hangUp,
      allowUnhandled: false,
    });
    const findings = await until(strategy.prepare, ([first]) => first?.code !== "no-process");
    expect(findings).toMatchObject([
      { code: "signal-ignored", message: expect.stringContaining("is PID 1 of its namespace") },
    ]);
  });
});
