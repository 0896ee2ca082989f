import { expect, test } from "vitest";
import type { RunningAgent } from "../support/agent.ts";
import { sampleOf, untilConfirmed, untilEvent, untilState } from "../support/agent-waits.ts";
import { createStage, type Stage, startStagedAgent } from "../support/stage.ts";

/** `--cert-dir` → `CERTHUP_CERT_DIR`, as the documentation has it. */
function variableOf(flag: string): string {
  return `CERTHUP_${flag.slice(2).replaceAll("-", "_").toUpperCase()}`;
}

type Settings = readonly (readonly [flag: string, value: string])[];

const waysOfGiving: Readonly<Record<string, (settings: Settings) => Promise<RunningAgent>>> = {
  flags: (settings) =>
    startStagedAgent(settings.flatMap(([flag, value]) => (value === "true" ? [flag] : [flag, value]))),
  "flags with =": (settings) =>
    startStagedAgent(settings.map(([flag, value]) => (value === "true" ? flag : `${flag}=${value}`))),
  "the environment": (settings) =>
    startStagedAgent([], Object.fromEntries(settings.map(([flag, value]) => [variableOf(flag), value]))),
};

/** Every setting of `run` with a value that isn't its default and that shows. */
function settingsOf(stage: Stage): Settings {
  const [, certDir = "", , pidFile = "", , endpoint = ""] = stage.target;
  return [
    ["--cert-dir", certDir],
    ["--cert-file", "chain.pem"],
    ["--key-file", "key.pem"],
    ["--ca-file", "roots.pem"],
    ["--watch-interval", "400ms"],
    ["--delay-interval", "100ms"],
    ["--write-grace", "200ms"],
    ["--min-validity", "30d"],
    ["--require-name", "twin.example"],
    ["--allow-expired", "true"],
    ["--reload", "signal"],
    ["--process-name", "staged-server"],
    ["--pid-file", pidFile],
    ["--signal", "USR2"],
    ["--signal-unhandled", "true"],
    ["--endpoint", endpoint],
    ["--confirm", "2"],
    ["--probe-timeout", "2s"],
    ["--probe-step-timeout", "1s"],
    ["--verify-timeout", "5s"],
    ["--verify-interval", "450ms"],
    ["--stale-grace", "700ms"],
    ["--ready-policy", "serving"],
    ["--listen-address", "127.0.0.1:0"],
    ["--log-format", "json"],
    ["--log-level", "debug"],
  ];
}

test.for(Object.keys(waysOfGiving))("every setting takes effect when given by %s", async (way) => {
  const stage = await createStage();
  const files = async (names: readonly string[], days: number) => {
    const pair = await stage.issue({ names, notAfter: new Date(Date.now() + days * 86_400_000) });
    await stage.publishFiles({
      "chain.pem": pair.certificatePem,
      "key.pem": pair.keyPem,
      "roots.pem": await stage.caPem(),
      "tls.crt": pair.certificatePem,
      "tls.key": pair.keyPem,
    });
    return pair;
  };
  const first = await files(["twin.example"], 60);
  const server = await stage.startServer();
  const agent = await waysOfGiving[way]?.(settingsOf(stage));
  if (agent === undefined) throw new Error(`there is no way called ${way}`);
  expect(new URL(agent.url).hostname).toBe("127.0.0.1");
  await untilState(agent, "in-sync");
  expect(agent.events("endpoint-probed").slice(0, 2)).toMatchObject([{ level: "debug" }, { level: "debug" }]);
  expect(agent.events("confirmed")).toHaveLength(1);

  await files(["twin.example"], 10);
  await untilEvent(agent, "keypair-refused", ({ findings }) => /too-little-validity/.test(JSON.stringify(findings)));
  await files(["other.example"], 60);
  await untilEvent(agent, "keypair-refused", ({ findings }) => /name-not-covered/.test(JSON.stringify(findings)));

  // SIGUSR2 makes the server of the stage go back to its first pair, so that the newest one is never served.
  await files(["twin.example"], 60);
  await server.untilOutput(/went back/);
  expect(server.told()).toBe(0);
  expect(await untilState(agent, "stale", /sent SIGUSR2/)).toMatchObject({ status: 200 });
  expect(await stage.served()).toBe(first.fingerprint);
});

test("a flag wins over its variable", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const environment = { CERTHUP_CERT_DIR: "/nowhere", CERTHUP_ENDPOINT: "127.0.0.1:1", CERTHUP_LOG_LEVEL: "error" };
  const agent = await stage.startAgent([], environment);
  await untilState(agent, "in-sync");
});

test("several endpoints are given by one variable, separated by commas or blanks", async () => {
  const [stage, other] = [await createStage(), await createStage()];
  await stage.publish(await stage.issue());
  await stage.startServer();
  await other.startServer(undefined, stage.volume.directory);
  const [certDirFlag = "", certDir = "", pidFlag = "", pidFile = ""] = stage.target;
  const flags = [certDirFlag, certDir, pidFlag, pidFile];
  const agent = await startStagedAgent(flags, { CERTHUP_ENDPOINT: ` ${stage.endpoint}, ${other.endpoint}` });
  await untilState(agent, "in-sync");
  for (const endpoint of [stage.endpoint, other.endpoint]) {
    expect(await sampleOf(agent, "certhup_served_matches_volume", { endpoint })).toBe(1);
  }
});

test("without a key file the pair is compared and reloaded, and the log says that it wasn't checked", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const agent = await stage.startAgent(["--key-file", "none"]);
  await untilState(agent, "in-sync");
  expect(agent.events("keypair-accepted")).toMatchObject([{ findings: [{ code: "key-not-checked" }] }]);
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
});
