import { execFile } from "node:child_process";
import { execPath } from "node:process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createStrategy, type StrategyConfig } from "../../../src/reload/create-strategy.ts";
import { isStrategyName, strategyNames } from "../../../src/reload/strategy-name.ts";
import { systemClock as clock } from "../../../src/system/clock.ts";

const selector = { name: "certhup-has-no-such-server" };
const never = new AbortController().signal;

const configs: readonly StrategyConfig[] = [
  { name: "signal", selector, signal: { name: "SIGHUP", number: 1 }, allowUnhandled: false },
  { name: "nginx", selector, timeoutMs: 1_000, clock },
  {
    name: "http",
    url: new URL("http://127.0.0.1:1/"),
    method: "POST",
    headers: [],
    expectedStatuses: [],
    maxRedirects: 0,
    timeoutMs: 1_000,
    clock,
  },
  { name: "exec", command: ["true"], timeoutMs: 1_000, clock },
  { name: "restart", selector, graceMs: 1_000, killAfterGrace: false, clock },
  { name: "exit", status: 85 },
];

describe("the chooser", () => {
  test.each(configs)("creates $name", async (config) => {
    expect((await createStrategy(config)).name).toBe(config.name);
  });

  test("knows every word that --reload takes, but for the one that tells nobody", () => {
    expect(configs.map(({ name }) => name)).toEqual(strategyNames.filter((name) => name !== "none"));
    expect(isStrategyName("nginx")).toBe(true);
    expect(isStrategyName("toString")).toBe(false);
  });

  test("doesn't load the HTTP client for a signal", async () => {
    const script = `
      import { createRequire } from "node:module";
      const { createStrategy } = await import("./src/reload/create-strategy.ts");
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("undici"));
      await createStrategy({ name: "signal", selector: { name: "x" }, signal: { name: "SIGHUP", number: 1 } });
      console.log(loaded());
      await createStrategy({ name: "http", url: new URL("http://a/"), method: "POST", headers: [] });
      console.log(loaded());`;
    const { stdout } = await promisify(execFile)(execPath, ["--input-type=module", "--eval", script]);
    expect(stdout).toBe("false\ntrue\n");
  });
});

describe("exit", () => {
  test("asks the agent to end itself, and touches nobody", async () => {
    const strategy = await createStrategy({ name: "exit", status: 85 });
    expect(await strategy.prepare()).toEqual([]);
    expect(await strategy.reload(never)).toEqual({
      kind: "accepted",
      detail: "the agent ends with status 85, so that the pod's rule restarts all containers",
      exitStatus: 85,
    });
  });
});
