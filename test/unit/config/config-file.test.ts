import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Config } from "../../../src/config/config.ts";
import { type ReadConfig, readRunConfig } from "../../../src/config/read-config.ts";
import type { Environment, FlagTexts } from "../../../src/config/sources.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-config-"));
});

afterEach(() => rm(directory, { recursive: true }));

async function read(yaml: string, flags: FlagTexts = {}, environment: Environment = {}): Promise<ReadConfig<Config>> {
  const path = join(directory, "config.yaml");
  await writeFile(path, yaml);
  return readRunConfig({ flags: { config: [path], ...flags }, environment }, "pod-0");
}

async function readConfig(yaml: string, flags: FlagTexts = {}, environment: Environment = {}): Promise<Config> {
  const result = await read(yaml, flags, environment);
  if (result.kind === "issues") throw new Error(JSON.stringify(result.issues));
  return result.config;
}

async function pathsOf(yaml: string, flags: FlagTexts = {}): Promise<readonly string[]> {
  const result = await read(yaml, flags);
  return result.kind === "issues" ? result.issues.map(({ path }) => path) : [];
}

const web = `
targets:
  - name: web
    certDir: /etc/web
    processName: nginx
    endpoint: [127.0.0.1:8443, "[::1]:8443"]
`;
const api = `
  - name: api
    certDir: /etc/api
    reload: exec
    exec: [haproxyctl, "reload all"]
    endpoint: none
    confirm: 5
    allowExpired: true
`;

describe("a configuration file", () => {
  it("has several targets, each with settings of its own", async () => {
    const { targets, watchIntervalMs } = await readConfig(`watchInterval: 5s${web}${api}`);
    expect(watchIntervalMs).toBe(5_000);
    expect(targets.map(({ name, volume }) => [name, volume?.directory])).toEqual([
      ["web", "/etc/web"],
      ["api", "/etc/api"],
    ]);
    expect(targets[0]?.policy.endpoints).toEqual(["127.0.0.1:8443", "[::1]:8443"]);
    expect(targets[1]?.reload.ladder).toEqual([
      { name: "exec", command: ["haproxyctl", "reload all"], timeoutMs: 10_000 },
    ]);
    expect(targets[1]).toMatchObject({ policy: { confirm: 5 }, keypair: { allowExpired: true } });
  });

  it("writes a ladder as a list or with commas", async () => {
    const ways = async (reload: string): Promise<unknown> =>
      (await readConfig(`${web}    reload: ${reload}\n`)).targets[0]?.policy.ladder.map(({ strategy }) => strategy);
    expect(await ways("[signal, restart]")).toEqual(["signal", "restart"]);
    expect(await ways("signal,restart")).toEqual(["signal", "restart"]);
  });

  it("gives way to flags and environment for its only target", async () => {
    const { targets } = await readConfig(web, { certDir: ["/elsewhere"] }, { CERTHUP_CONFIRM: "7" });
    expect(targets[0]).toMatchObject({ volume: { directory: "/elsewhere" }, policy: { confirm: 7 } });
  });

  it("takes no flag of a target where it has several", async () => {
    expect(await pathsOf(`${web}${api}`, { certDir: ["/elsewhere"] })).toEqual(["--cert-dir"]);
  });

  it("tells everything that is wrong with path and line, at once", async () => {
    const yaml = `watchIntervall: 5s${web}${api.replace("confirm: 5", "confirm: [1, 2]").replace("api", "web")}    probeTimeout: soon\n`;
    expect(await pathsOf(yaml)).toEqual([
      "watchIntervall (line 1)",
      "targets[1].confirm (line 13)",
      "targets[1].probeTimeout (line 15)",
      "targets",
    ]);
  });

  it("names what a target lacks by its key", async () => {
    expect(await pathsOf("targets:\n  - name: web\n")).toEqual([
      "targets[0].certDir",
      "targets[0].endpoint",
      "targets[0].processName",
    ]);
  });

  it("may say what targets have in common once, by anchor, alias and merge key", async () => {
    const yaml = `
targets:
  - &web {name: web, certDir: /etc/web, processName: nginx, endpoint: &where [127.0.0.1:8443]}
  - {<<: *web, name: api, certDir: /etc/api}
  - {name: plain, certDir: /etc/plain, reload: none, endpoint: *where}
`;
    const { targets } = await readConfig(yaml);
    expect(targets.map(({ name, volume, policy }) => [name, volume?.directory, policy.endpoints])).toEqual([
      ["web", "/etc/web", ["127.0.0.1:8443"]],
      ["api", "/etc/api", ["127.0.0.1:8443"]],
      ["plain", "/etc/plain", ["127.0.0.1:8443"]],
    ]);
  });

  it.each([
    ["targets: [a]\n---\ntargets: [b]\n", "line 2"],
    ["", "line 1"],
    ["targets: []", "targets (line 1)"],
    ["targets:\n  - just a text", "targets[0] (line 2)"],
    ["targets: [", "line 1"],
    ["targets:\n  - certDir: a\n    certDir: b\n", "line 3"],
  ])("that reads %j is told where it is wrong", async (yaml, path) => {
    expect((await pathsOf(yaml))[0]).toBe(path);
  });

  it("may hold aliases that multiply, and ones that go round in circles", async () => {
    const levels = Array.from({ length: 30 }, (_, level) => {
      const items = Array(10).fill(level === 0 ? "1" : `*x${level - 1}`);
      return `x${level}: &x${level} [${items.join(", ")}]\n`;
    });
    expect(await pathsOf(`${levels.join("")}x: &x [*x]\ntargets: &t [*t]\n`)).toEqual([
      ...levels.map((_, level) => `x${level} (line ${level + 1})`),
      "x (line 31)",
      "targets[0] (line 32)",
    ]);
    expect(await pathsOf("targets:\n  - &w {<<: *w, name: web}\n")).toContain("targets[0].<< (line 2)");
  });

  it("that isn't there is an issue like any other", async () => {
    const result = await readRunConfig({ flags: { config: [join(directory, "no.yaml")] }, environment: {} }, "pod-0");
    expect(result).toMatchObject({ kind: "issues", issues: [{ message: "can't be read: ENOENT" }] });
  });
});
