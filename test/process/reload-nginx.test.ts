import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kill } from "node:process";
import { connect } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProcessEntry } from "../../src/process/process-info.ts";
import { readChildren } from "../../src/process/related-processes.ts";
import { createNginxStrategy, type NginxStrategyOptions } from "../../src/reload/nginx.ts";
import { systemClock } from "../../src/system/clock.ts";
import { createAuthority, type IssuedCertificate } from "../support/certificates.ts";
import { type Program, startProgram } from "../support/child-program.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;
const authority = createAuthority();
const nginx = execFileSync("bash", ["-c", "type -P nginx || echo /usr/sbin/nginx"], { encoding: "utf8" }).trim();

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-nginx-"));
  // The workers run as another user.
  await chmod(directory, 0o755);
  await publish(await authority.issue({ names: ["one.example"] }));
  await writeFile(
    join(directory, "nginx.conf"),
    `worker_processes 2; pid ${directory}/nginx.pid; error_log ${directory}/error.log notice;
     events { worker_connections 32; }
     http { access_log off; server { listen unix:${directory}/tls.sock ssl;
       ssl_certificate ${directory}/tls.crt; ssl_certificate_key ${directory}/tls.key; } }`,
  );
});
afterEach(() => rm(directory, { recursive: true }));

async function publish(pair: IssuedCertificate, key: IssuedCertificate = pair): Promise<string> {
  await writeFile(join(directory, "tls.crt"), pair.certificatePem);
  await writeFile(join(directory, "tls.key"), key.keyPem);
  return pair.fingerprint;
}

function startNginx(configuration = "nginx.conf"): Promise<Program> {
  const command = [
    nginx,
    "-c",
    join(directory, configuration),
    "-e",
    join(directory, "error.log"),
    "-g",
    "daemon off;",
  ];
  return startProgram(command, { isReady: isMaster });
}

function isMaster(process: ProcessEntry): boolean {
  return process.argv[0]?.startsWith("nginx: master") === true;
}

async function readWorkers(master: number): Promise<number[]> {
  const children = await readChildren(master, "/proc");
  return children.filter(({ argv }) => argv[0] === "nginx: worker process").map(({ pid }) => pid);
}

function readErrorLog(): Promise<string> {
  return readFile(join(directory, "error.log"), "utf8");
}

function strategy(options: Partial<NginxStrategyOptions> = {}) {
  const selector = { name: "nginx", match: new RegExp(directory) };
  return createNginxStrategy({ selector, timeoutMs: 5_000, clock: systemClock, ...options });
}

async function readServed(): Promise<string | undefined> {
  const socket = connect({ path: join(directory, "tls.sock"), rejectUnauthorized: false });
  try {
    await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
    return socket.getPeerX509Certificate()?.fingerprint256.replaceAll(":", "").toLowerCase();
  } finally {
    socket.destroy();
  }
}

describe("nginx", () => {
  test("is accepted once new workers run, and serves the new certificate", async () => {
    await using master = await startNginx();
    const before = await until(
      () => readWorkers(master.pid),
      ({ length }) => length === 2,
    );
    expect(await strategy().prepare()).toEqual([]);
    const wanted = await publish(await authority.issue({ names: ["two.example"] }));
    expect(await strategy().reload(never)).toEqual({
      kind: "accepted",
      detail: `nginx (pid ${master.pid}) started new workers after SIGHUP`,
    });
    await until(
      () => readWorkers(master.pid),
      (pids) => pids.length === 2 && !pids.some((pid) => before.includes(pid)),
    );
    expect(await until(readServed, (served) => served === wanted)).toBe(wanted);
  });

  test("is refused when it can't load its pair, and serves the old one on", async () => {
    await using master = await startNginx();
    const before = await until(
      () => readWorkers(master.pid),
      ({ length }) => length === 2,
    );
    const served = await until(readServed, (fingerprint) => fingerprint !== undefined);
    const [one, other] = [await authority.issue({ names: ["a"] }), await authority.issue({ names: ["b"] })];
    await publish(one, other);
    expect(await strategy({ timeoutMs: 600 }).reload(never)).toEqual({
      kind: "refused",
      reason: "configuration-kept",
      detail: `nginx (pid ${master.pid}) kept its old configuration: no new worker within 600 ms after SIGHUP`,
      hint: expect.stringContaining("error log"),
    });
    expect(await readWorkers(master.pid)).toEqual(before);
    expect(await readServed()).toBe(served);
    expect(await readErrorLog()).toContain("key values mismatch");
  });

  test("is refused although a worker that crashed meanwhile was replaced", async () => {
    await using master = await startNginx();
    const [worker] = await until(
      () => readWorkers(master.pid),
      ({ length }) => length === 2,
    );
    await writeFile(join(directory, "tls.key"), "no key");
    const settled = strategy({ timeoutMs: 1_500 }).reload(never);
    await until(readErrorLog, (log) => log.includes("tls.key"));
    kill(worker ?? 0, "SIGKILL");
    await until(
      () => readWorkers(master.pid),
      (pids) => pids.length === 2 && !pids.includes(worker ?? 0),
    );
    expect(await settled).toMatchObject({ kind: "refused", reason: "configuration-kept" });
  });

  test("is not told when its configuration test fails", async () => {
    await using master = await startNginx();
    const before = await until(
      () => readWorkers(master.pid),
      ({ length }) => length === 2,
    );
    await writeFile(join(directory, "tls.key"), "no key");
    const testCommand = [nginx, "-t", "-c", join(directory, "nginx.conf")] as const;
    expect(await strategy({ testCommand }).reload(never)).toMatchObject({
      kind: "refused",
      reason: "configuration-test-failed",
      detail: expect.stringMatching(/ended with status 1: .*tls\.key/),
    });
    expect(await readErrorLog()).not.toContain("reconfiguring");
    expect(await readWorkers(master.pid)).toEqual(before);
  });

  test("is told when its configuration test passes", async () => {
    await using _ = await startNginx();
    const testCommand = [nginx, "-t", "-c", join(directory, "nginx.conf")] as const;
    expect(await strategy({ testCommand }).reload(never)).toMatchObject({ kind: "accepted" });
  });

  test("without workers is told, and that nothing can be watched is found before", async () => {
    const text = await readFile(join(directory, "nginx.conf"), "utf8");
    await writeFile(join(directory, "single.conf"), `master_process off; ${text}`);
    const command = [
      nginx,
      "-c",
      join(directory, "single.conf"),
      "-e",
      join(directory, "error.log"),
      "-g",
      "daemon off;",
    ];
    await using single = await startProgram(command, {
      isReady: ({ caughtSignals }) => ((caughtSignals ?? 0n) & 1n) !== 0n,
    });
    expect(await strategy().prepare()).toMatchObject([{ code: "no-master", severity: "warn" }]);
    expect(await strategy().reload(never)).toEqual({
      kind: "accepted",
      detail: `sent SIGHUP to nginx (pid ${single.pid}), which has no workers to watch`,
    });
  });

  test("that ends during the reload is told from one that keeps its configuration", async () => {
    await using master = await startNginx();
    await writeFile(join(directory, "tls.key"), "no key");
    const settled = strategy().reload(never);
    await until(readErrorLog, (log) => log.includes("tls.key"));
    kill(master.pid, "SIGTERM");
    expect(await settled).toMatchObject({ kind: "refused", reason: "process-changed" });
  });
});

describe("several nginx processes", () => {
  test("with two masters are ambiguous, and the pid file decides", async () => {
    await writeFile(
      join(directory, "other.conf"),
      `worker_processes 1; pid ${directory}/other.pid; error_log ${directory}/error.log notice; events {}`,
    );
    await using first = await startNginx();
    await using second = await startNginx("other.conf");
    const [one, two] = [first.pid, second.pid].sort((a, b) => a - b);
    const detail = expect.stringMatching(new RegExp(`^2 processes match: .*pid ${one}.*pid ${two}`));
    expect(await strategy().reload(never)).toMatchObject({ reason: "ambiguous-process", detail });
    await until(
      () => readFile(join(directory, "nginx.pid"), "utf8"),
      (text) => text.trim() === String(first.pid),
    );
    const selector = { name: "nginx", pidFile: join(directory, "nginx.pid") };
    expect(await strategy({ selector }).reload(never)).toMatchObject({
      kind: "accepted",
      detail: expect.stringContaining(`pid ${first.pid}`),
    });
  });

  test("whose master was killed are named as such", async () => {
    const master = await startNginx();
    const workers = await until(
      () => readWorkers(master.pid),
      ({ length }) => length === 2,
    );
    kill(master.pid, "SIGKILL");
    await until(master.isAlive, (alive) => !alive);
    // The titles of workers don't tell whose they are: they are asked for by the pid file of one of them.
    await writeFile(join(directory, "nginx.pid"), String(workers[0]));
    const selector = { name: "nginx", pidFile: join(directory, "nginx.pid") };
    expect(await strategy({ selector }).reload(never)).toMatchObject({
      kind: "refused",
      reason: "no-process",
      detail: expect.stringContaining("workers without a master"),
    });
    for (const pid of workers) kill(pid, "SIGKILL");
  });
});
