import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { untilConfirmed } from "../support/agent-waits.ts";
import { certhup, createStage, startStagedAgent } from "../support/stage.ts";
import { startAgentFor, targetOf, untilTarget, writeConfigFile } from "../support/staged-targets.ts";

test("for a file with one target flags come before the environment, and that before the file", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const [, certDir = "", , pidFile = "", , endpoint = ""] = stage.target;
  const path = await writeConfigFile([{ name: "filed", certDir: "/nowhere", endpoint: "127.0.0.1:1", reload: "none" }]);
  const agent = await startStagedAgent(["--config", path, "--endpoint", endpoint, "--reload", "signal"], {
    CERTHUP_CERT_DIR: certDir,
    CERTHUP_ENDPOINT: "127.0.0.1:2",
    CERTHUP_PID_FILE: pidFile,
  });
  await untilTarget(agent, "filed", "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ target: "filed" });
  expect(server.told()).toBe(1);
  expect((await agent.status()).targets[0].endpoints).toMatchObject([{ endpoint }]);
});

test("what concerns the agent as a whole stands at the top of the file", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const path = await writeConfigFile([targetOf(stage, { name: "only" })]);
  await writeFile(path, `watchInterval: 1h\nlogFormat: text\nlogLevel: warn\n${JSON.stringify([])}`);
  const broken = await certhup(["run", "--config", path]);
  expect(broken).toMatchObject({ status: 2, standardError: expect.stringMatching(/^error: line \d/) });

  const [, certDir = "", , pidFile = ""] = stage.target;
  const target = `  - name: only\n    certDir: ${certDir}\n    pidFile: ${pidFile}\n    endpoint: ${stage.endpoint}\n`;
  await writeFile(path, `watchInterval: 1h\nlogFormat: text\nlogLevel: info\ntargets:\n${target}`);
  const agent = await startStagedAgent(["--config", path]);
  await untilTarget(agent, "only", "in-sync");
  expect(agent.output()).toMatch(/certhup started.*address=/);
  expect(agent.output()).not.toContain('"event"');
});

test("everything that is wrong with a file is told at once, and the agent doesn't start", async () => {
  const path = await writeConfigFile([]);
  const lines = [
    "watchIntervall: 10s",
    "targets:",
    "  - name: a b",
    "    certDir: /etc/tls",
    "    endpoint: [127.0.0.1:8443, none]",
    "    processName: nginx",
    "  - name: twin",
    "    certDir: /etc/tls",
    "    endpoint: 127.0.0.1:8443",
    "    reload: [signal, signal]",
    "    processName: nginx",
    "  - name: twin",
    "    watchOnly: true",
    "    endpoint: 127.0.0.1:8443",
    "    confirm: 0",
    "    minInterval: 5",
  ];
  await writeFile(path, lines.join("\n"));
  const { status, standardError, standardOutput } = await certhup(["run", "--config", path]);
  expect({ status, standardOutput }).toEqual({ status: 2, standardOutput: "" });
  for (const place of [
    "watchIntervall (line 1)",
    "targets[0].name (line 3)",
    "targets[0].endpoint (line 5)",
    "targets[1].reload (line 10)",
    "targets[2].confirm (line 15)",
    "targets: ",
  ]) {
    expect(standardError).toContain(`error: ${place}`);
  }
  expect(standardError.match(/^error: /gm)?.length).toBe(standardError.match(/^hint: /gm)?.length);
});

test("a target of the file that would be half one of two kinds is an error, never a guess", async () => {
  const both = await writeConfigFile([{ name: "x", watchOnly: true, certDir: "/etc/tls", endpoint: "127.0.0.1:1" }]);
  expect(await certhup(["run", "--config", both])).toMatchObject({ status: 2 });
  const neither = await writeConfigFile([{ name: "x", endpoint: "127.0.0.1:1" }]);
  const { status, standardError } = await certhup(["run", "--config", neither]);
  expect({ status, standardError }).toEqual({
    status: 2,
    standardError: expect.stringContaining("targets[0].certDir"),
  });
  const away = await certhup(["run", "--config", "/no/such/config.yaml"]);
  expect(away).toMatchObject({ status: 2, standardError: expect.stringContaining("ENOENT") });
});

test("a target of no endpoint beside one with proof says so, and is told all the same", async () => {
  const [proved, trusted] = [await createStage(), await createStage()];
  for (const stage of [proved, trusted]) await stage.publish(await stage.issue());
  await proved.startServer();
  const server = await trusted.startServer();
  const agent = await startAgentFor([
    targetOf(proved, { name: "proved" }),
    targetOf(trusted, { name: "trusted", endpoint: "none" }),
  ]);
  await untilTarget(agent, "proved", "in-sync");
  await untilTarget(agent, "trusted", "in-sync", /not verified/);
  expect(agent.events("unverified").map(({ target }) => target)).toEqual(["trusted"]);
  await trusted.publish(await trusted.issue());
  await server.untilOutput(/told to reload/);
});
