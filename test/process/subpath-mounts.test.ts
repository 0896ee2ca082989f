import process from "node:process";
import { expect, test } from "vitest";
import { sampleOf, untilConfirmed, untilEvent, untilState } from "../support/agent-waits.ts";
import { createMountedStage } from "../support/subpath-stage.ts";
import { until } from "../support/until.ts";

const impatient = ["--verify-timeout", "300ms", "--stale-grace", "1s"];

test("a server that mounts the files by subPath is told at the start: log, status and metric", async () => {
  const stage = await createMountedStage();
  const server = await stage.startMountedServer("subpath");
  const agent = await stage.startMountedAgent();
  await untilState(agent, "in-sync");

  expect(await untilEvent(agent, "preflight-finding")).toMatchObject({
    level: "warn",
    code: "subpath-mount",
    message: expect.stringMatching(new RegExp(`in the container of .*pid ${server.pid}.*subPath mount of tls\\.`)),
    hint: expect.stringContaining("mount the whole volume"),
  });
  const { targets } = await agent.status();
  expect(targets[0].preflight.map(({ code }: { code: string }) => code)).toEqual(["subpath-mount", "subpath-mount"]);
  expect(await sampleOf(agent, "certhup_subpath_mount")).toBe(1);
});

test("a renewal under a subPath mount ends as stale, with this reason first", async () => {
  const stage = await createMountedStage();
  await stage.startMountedServer("subpath");
  const agent = await stage.startMountedAgent(impatient);
  await untilState(agent, "in-sync");
  const before = await stage.served();
  await stage.publish(await stage.issue());

  const { status, text } = await untilState(agent, "stale");
  expect(status).toBe(503);
  expect(text).toMatch(/^default: stale: in the container of .*\/server\/tls\.crt is a (subPath )?mount of/);
  expect(text).toContain(`${stage.endpoint} serves an older certificate`);
  expect(await stage.served()).toBe(before);
  // What was a living file of a generation before is a deleted one now.
  await untilEvent(agent, "preflight-finding", ({ code }) => code === "subpath-mount-deleted");
  expect(await sampleOf(agent, "certhup_subpath_mount")).toBe(1);
});

test("a ladder up to restart doesn't restart a server with a subPath mount, and says why", async () => {
  const stage = await createMountedStage();
  const server = await stage.startMountedServer("subpath");
  const ladder = ["--reload", "signal,restart", "--reload-attempts", "1", "--restart-min-interval", "0s"];
  const agent = await stage.startMountedAgent([...impatient, ...ladder, "--jitter", "0s"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());

  expect(await untilEvent(agent, "reload-settled", ({ strategy }) => strategy === "restart")).toMatchObject({
    outcome: "refused",
    reason: "subpath-mount",
    hint: expect.stringContaining("delete the pod"),
  });
  await untilState(agent, "stale", /might not start again/);
  expect((await agent.status()).targets[0].lastReload).toMatchObject({ strategy: "restart", reason: "subpath-mount" });
  process.kill(server.pid, 0);
  expect(await stage.served()).toMatch(/^[0-9a-f]{64}$/);
});

test("a swap that was missed leads to no restart either, though the agent has only just started", async () => {
  const stage = await createMountedStage();
  const server = await stage.startMountedServer("subpath");
  await stage.publish(await stage.issue());
  const restart = ["--reload", "restart", "--confirm", "1", "--restart-min-interval", "0s", "--jitter", "0s"];
  const agent = await stage.startMountedAgent(restart);
  expect(await untilEvent(agent, "reload-settled")).toMatchObject({ outcome: "refused", reason: "subpath-mount" });
  process.kill(server.pid, 0);
});

test("--restart-on-subpath restarts it all the same", async () => {
  const stage = await createMountedStage();
  const server = await stage.startMountedServer("subpath");
  const ladder = ["--reload", "signal,restart", "--reload-attempts", "1", "--restart-min-interval", "0s"];
  const agent = await stage.startMountedAgent([...impatient, ...ladder, "--jitter", "0s", "--restart-on-subpath"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  expect(await server.ended).toBe("SIGTERM");
  expect(await untilEvent(agent, "reload-settled", ({ strategy }) => strategy === "restart")).toMatchObject({
    outcome: "accepted",
  });
});

test("--reload exit doesn't end the agent for a server with a subPath mount either", async () => {
  const stage = await createMountedStage();
  await stage.startMountedServer("subpath");
  const flags = [...impatient, "--reload", "signal,exit", "--reload-attempts", "1", "--restart-min-interval", "0s"];
  const agent = await stage.startMountedAgent([...flags, "--jitter", "0s"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  expect(await untilEvent(agent, "reload-settled", ({ strategy }) => strategy === "exit")).toMatchObject({
    outcome: "refused",
    reason: "subpath-mount",
  });
  await untilState(agent, "stale");
});

test("the agent's own subPath mount is told as its own", async () => {
  const stage = await createMountedStage();
  await stage.startMountedServer("whole");
  const agent = await stage.startMountedAgent([], "subpath");
  await untilState(agent, "in-sync");
  const { message } = await untilEvent(agent, "preflight-finding", ({ code }) => code === "subpath-mount");
  expect(message).toMatch(/^[^ ]*\/agent\/tls\.(crt|key) is a subPath mount of tls\.(crt|key) alone/);
  expect(await sampleOf(agent, "certhup_subpath_mount")).toBe(1);
});

test("whole volumes in both containers are no finding, and a renewal is served", async () => {
  const stage = await createMountedStage();
  const server = await stage.startMountedServer("whole");
  const agent = await stage.startMountedAgent();
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect(await until(stage.served, (served) => served === renewed.fingerprint)).toBe(renewed.fingerprint);
  expect(server.output().match(/told to reload/g)).toHaveLength(1);
  expect(await sampleOf(agent, "certhup_subpath_mount")).toBe(0);
  expect(agent.events("preflight-finding")).toEqual([]);
});
