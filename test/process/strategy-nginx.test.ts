import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { untilConfirmed, untilEvent, untilState } from "../support/agent-waits.ts";
import { createStage, startStagedAgent } from "../support/stage.ts";
import { nginxConfiguration, nginxProgram, startNginx } from "../support/staged-nginx.ts";

const nginxTest = (configuration: string): string => JSON.stringify([nginxProgram, "-t", "-c", configuration]);

test("nginx starts new workers, and the renewal is served", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const nginx = await startNginx(stage);
  const agent = await stage.startAgent(["--reload", "nginx", "--test", nginxTest(nginx.configuration)]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 1 });
  expect(await stage.served()).toBe(renewed.fingerprint);
  expect((await agent.status()).targets[0].lastReload).toMatchObject({
    strategy: "nginx",
    outcome: "accepted",
    detail: expect.stringContaining("started new workers"),
  });
});

test("nginx is told by an agent that is configured by its environment alone", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const nginx = await startNginx(stage);
  const [, certDir = "", , pidFile = "", , endpoint = ""] = stage.target;
  const agent = await startStagedAgent([], {
    CERTHUP_CERT_DIR: certDir,
    CERTHUP_PID_FILE: pidFile,
    CERTHUP_PROCESS_NAME: "nginx",
    CERTHUP_ENDPOINT: endpoint,
    CERTHUP_RELOAD: "nginx",
    CERTHUP_TEST: nginxTest(nginx.configuration),
    CERTHUP_LISTEN_ADDRESS: "127.0.0.1:0",
  });
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect((await agent.status()).targets[0].lastReload).toMatchObject({ strategy: "nginx", outcome: "accepted" });
});

test("an nginx that keeps its old configuration is found out, and told again until it takes the new one", async () => {
  const stage = await createStage();
  const old = await stage.issue();
  await stage.publish(old);
  const nginx = await startNginx(stage);
  const agent = await stage.startAgent(["--reload", "nginx", "--reload-timeout", "500ms"]);
  await untilState(agent, "in-sync");
  await writeFile(nginx.configuration, "no such directive;");
  const renewed = await stage.issue();
  await stage.publish(renewed);

  await untilState(agent, "rotating", /kept its old configuration/);
  expect((await agent.status()).targets[0].lastReload).toMatchObject({
    outcome: "refused",
    reason: "configuration-kept",
    detail: expect.stringContaining("kept its old configuration"),
    hint: expect.stringContaining("error log"),
  });
  expect(await stage.served()).toBe(old.fingerprint);

  await writeFile(nginx.configuration, nginxConfiguration(stage));
  await untilConfirmed(agent, renewed);
  expect(await stage.served()).toBe(renewed.fingerprint);
});

test("an nginx whose configuration test fails is told nothing, and the next renewal tries at once", async () => {
  const stage = await createStage();
  const old = await stage.issue();
  await stage.publish(old);
  const nginx = await startNginx(stage);
  const agent = await stage.startAgent(["--reload", "nginx", "--test", nginxTest(nginx.configuration)]);
  await untilState(agent, "in-sync");
  await writeFile(nginx.configuration, "no such directive;");
  await stage.publish(await stage.issue());

  expect(await untilEvent(agent, "reload-settled")).toMatchObject({
    outcome: "refused",
    reason: "configuration-test-failed",
    detail: expect.stringMatching(/ended with status 1: .*unknown directive/),
  });
  // Nothing gets better by trying it every second.
  const { work } = (await agent.status()).targets[0];
  expect(work).toMatchObject({ kind: "backing-off", because: expect.stringContaining("unknown directive") });
  expect(work.retryInMs).toBeGreaterThan(30_000);
  expect(await nginx.errorLog()).not.toContain("reconfiguring");
  expect(await stage.served()).toBe(old.fingerprint);

  await writeFile(nginx.configuration, nginxConfiguration(stage));
  const next = await stage.issue();
  await stage.publish(next);
  expect(await untilConfirmed(agent, next)).toMatchObject({ reloads: 1 });
});
