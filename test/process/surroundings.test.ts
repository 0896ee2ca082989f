import { execFile, spawnSync } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import process from "node:process";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { bundle, startAgent, startBundle } from "../support/agent.ts";
import { findFreePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";

const watchOnly = ["--watch-only", "--endpoint", "127.0.0.1:1"];

/** How many sockets a process listens on. */
async function countListeners(pid: number): Promise<number> {
  const links = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")),
  );
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readFile(`/proc/${pid}/net/${name}`, "utf8")));
  const rows = tables.flatMap((table) => table.split("\n").map((row) => row.trim().split(/\s+/)));
  return rows.filter((row) => row[3] === "0A" && inodes.has(row[9] ?? "")).length;
}

describe("signals that were meant for the server", () => {
  test.each(["SIGHUP", "SIGUSR1", "SIGUSR2"] as const)(
    "%s neither ends the agent nor opens a debugger",
    async (signal) => {
      const agent = await startAgent(watchOnly);
      onTestFinished(async () => void (await agent.stop()));
      const before = await countListeners(agent.pid);
      agent.kill(signal);
      await until(
        () => agent.events("signal-ignored"),
        (events) => events.length === 1,
      );
      expect((await agent.ready()).status).toBe(503);
      expect(await countListeners(agent.pid)).toBe(before);
    },
  );
});

describe("an output that nobody reads", () => {
  const shell = (command: string): Promise<{ stdout: string; stderr: string }> =>
    promisify(execFile)("bash", ["-c", command], { env: { ...process.env, CERTHUP: `${process.execPath} ${bundle}` } });

  test("leaves the exit status of the answer", async () => {
    const { stdout, stderr } = await shell(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own variable
      "$CERTHUP run --help | true; echo ${PIPESTATUS[0]}; $CERTHUP probe 127.0.0.1:1 | true; echo ${PIPESTATUS[0]}",
    );
    expect({ stdout, stderr }).toEqual({ stdout: "0\n1\n", stderr: "" });
  });

  test("is an error if the disk is full", () => {
    const result = spawnSync("bash", ["-c", `${process.execPath} ${bundle} probe 127.0.0.1:1 > /dev/full`]);
    expect(result.status).toBe(1);
    expect(result.stderr.toString()).toMatch(/^error: can't write to the standard output: ENOSPC\nhint: /);
  });

  test("does not end the agent, whose work is not its log", async () => {
    const address = `127.0.0.1:${await findFreePort()}`;
    const args = [
      "run",
      ...watchOnly,
      "--listen-address",
      address,
      "--log-level",
      "debug",
      "--verify-interval",
      "100ms",
    ];
    const agent = startBundle(args, {}, process.execPath, ["bash", "-c", 'exec "$@" > /dev/full', "-"]);
    onTestFinished(async () => void (await agent.stop()));
    const readProbes = async (): Promise<number> => {
      const text = await (await fetch(`http://${address}/metrics`)).text();
      return Number(/certhup_probes_total\{.*verdict="unreachable"\} (\d+)/.exec(text)?.[1]);
    };
    await until(readProbes, (probes) => probes > 5);
    expect(agent.output()).toBe("");
  });
});
