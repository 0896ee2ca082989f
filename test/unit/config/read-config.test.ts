import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/config/config.ts";
import type { Issue } from "../../../src/config/issue.ts";
import { flagOf, variableOf } from "../../../src/config/option.ts";
import { everyOption } from "../../../src/config/options/every.ts";
import { readRunConfig } from "../../../src/config/read-config.ts";
import type { Environment, FlagTexts } from "../../../src/config/sources.ts";

const enough = { certDir: ["/etc/tls"], processName: ["nginx"], endpoint: ["127.0.0.1:8443"] };

async function read(flags: FlagTexts, environment: Environment = {}): Promise<Config> {
  const result = await readRunConfig({ flags, environment }, "pod-0");
  if (result.kind === "issues") throw new Error(JSON.stringify(result.issues));
  return result.config;
}

async function issuesOf(flags: FlagTexts, environment: Environment = {}): Promise<readonly Issue[]> {
  const result = await readRunConfig({ flags, environment }, "pod-0");
  return result.kind === "issues" ? result.issues : [];
}

describe("the configuration", () => {
  it("takes flags before the environment, and the environment before the defaults", async () => {
    const config = await read(
      { ...enough, verifyInterval: ["5s"] },
      { CERTHUP_VERIFY_INTERVAL: "7s", CERTHUP_STALE_GRACE: "9s" },
    );
    expect(config.targets[0]?.policy).toMatchObject({
      verifyIntervalMs: 5_000,
      staleGraceMs: 9_000,
      verifyTimeoutMs: 10_000,
    });
  });

  it("can come from the environment alone", async () => {
    const environment = {
      CERTHUP_CERT_DIR: "/etc/tls",
      CERTHUP_PROCESS_NAME: "nginx",
      CERTHUP_ENDPOINT: "127.0.0.1:8443, [::1]:8443",
    };
    expect((await read({}, environment)).targets[0]?.policy.endpoints).toEqual(["127.0.0.1:8443", "[::1]:8443"]);
  });

  it("tells everything that is wrong at once", async () => {
    const flags = { confirm: ["0"], verifyTimeout: ["soon"], endpoint: ["gopher://x"] };
    expect((await issuesOf(flags, { CERTHUP_CERTDIR: "/etc/tls" })).map(({ path }) => path)).toEqual([
      "--cert-dir",
      "--endpoint",
      "--process-name",
      "--confirm",
      "--verify-timeout",
      "CERTHUP_CERTDIR",
    ]);
  });

  it("gives each step of a look at an endpoint three fifths of its time, unless told otherwise", async () => {
    const limitsOf = async (flags: FlagTexts) => (await read({ ...enough, ...flags })).targets[0]?.probeLimits;
    expect(await limitsOf({})).toEqual({ wholeMs: 5_000, stepMs: 3_000 });
    expect(await limitsOf({ probeTimeout: ["2s"] })).toEqual({ wholeMs: 2_000, stepMs: 1_200 });
    expect(await limitsOf({ probeStepTimeout: ["5s"] })).toEqual({ wholeMs: 5_000, stepMs: 5_000 });
    expect(await issuesOf({ ...enough, probeStepTimeout: ["6s"] })).toEqual([
      {
        path: "--probe-step-timeout",
        message: "is longer than --probe-timeout, which holds for all steps together",
        hint: "give a longer --probe-timeout, too",
      },
    ]);
    const both = { ...enough, probeTimeout: ["soon"], probeStepTimeout: ["6s"] };
    expect((await issuesOf(both)).map(({ path }) => path)).toEqual(["--probe-timeout"]);
  });

  it("gives a hint with each issue", async () => {
    expect((await issuesOf({})).every(({ hint }) => hint !== "")).toBe(true);
  });

  it("is wrong without an endpoint, since proof is never given up by omission", async () => {
    const { endpoint: _, ...without } = enough;
    expect(await issuesOf(without)).toMatchObject([{ path: "--endpoint", message: "is required" }]);
    expect((await read({ ...without, endpoint: ["none"] })).targets[0]?.endpoints).toEqual([]);
  });

  it("is wrong with none beside endpoints, or with one endpoint twice", async () => {
    expect((await issuesOf({ ...enough, endpoint: ["none", "127.0.0.1:8443"] })).length).toBe(1);
    expect((await issuesOf({ ...enough, endpoint: ["127.0.0.1:8443", "127.0.0.1:8443"] })).length).toBe(1);
  });

  it("needs to know whom to signal, unless nobody is to be told", async () => {
    const { processName: _, ...without } = enough;
    expect(await issuesOf(without)).toMatchObject([{ path: "--process-name" }]);
    expect((await read({ ...without, reload: ["none"] })).targets[0]?.reload.ladder).toEqual([]);
    expect((await read({ ...without, pidFile: ["/run/nginx.pid"] })).targets[0]?.reload.ladder).toMatchObject([
      { name: "signal", selector: { pidFile: "/run/nginx.pid" } },
    ]);
  });

  it("is wrong where a setting is, even if no way of the ladder uses it", async () => {
    const wrong = { ...enough, reloadMethod: ["two words"], restartGrace: ["long"] };
    expect((await issuesOf(wrong)).map(({ path }) => path)).toEqual(["--restart-grace", "--reload-method"]);
  });

  it("is wrong with a setting of a way that is not on the ladder", async () => {
    const stray = { ...enough, exec: ["haproxyctl reload"], reloadUrl: ["http://127.0.0.1:9090/-/reload"] };
    expect((await issuesOf(stray)).map(({ path }) => path)).toEqual(["--exec", "--reload-url"]);
    expect(await issuesOf({ ...stray, reload: ["signal,exec,http"] })).toEqual([]);
  });

  it("never shows a key that was given instead of its file's name", async () => {
    const pem =
      "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQ\n-----END PRIVATE KEY-----";
    const issues = await issuesOf({ ...enough, keyFile: [pem] }, { CERTHUP_CONFIRM: pem });
    expect(issues.map(({ path }) => path)).toEqual(["--key-file", "CERTHUP_CONFIRM"]);
    expect(JSON.stringify(issues)).not.toContain("MIGH");
  });

  it("lets the variables of a Kubernetes Service pass", async () => {
    const service = {
      CERTHUP_SERVICE_HOST: "10.0.0.1",
      CERTHUP_SERVICE_PORT: "443",
      CERTHUP_PORT: "tcp://10.0.0.1:443",
      CERTHUP_PORT_443_TCP_ADDR: "10.0.0.1",
      CERTHUP_WEBHOOK_SERVICE_PORT_HTTPS: "443",
    };
    expect(await issuesOf(enough, service)).toEqual([]);
  });
});

describe("the names of the options", () => {
  it("follow from the key by rule", () => {
    expect(flagOf({ key: "certDir" })).toBe("--cert-dir");
    expect(variableOf({ key: "certDir" })).toBe("CERTHUP_CERT_DIR");
  });

  it("are used once each", () => {
    const keys = everyOption.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("come with a default that can be read", () => {
    for (const { fallback, parse, key } of everyOption) {
      if (fallback !== undefined) expect({ key, parsed: parse([fallback]).kind }).toEqual({ key, parsed: "value" });
    }
  });
});
