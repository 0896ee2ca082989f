import { expect, test } from "vitest";
import { sampleOf, untilConfirmed, untilEvent, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import { createStage } from "../support/stage.ts";

test("a server that is started after the agent is found, and not told what it has loaded already", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const agent = await stage.startAgent();
  expect(await untilState(agent, "unreachable", new RegExp(stage.endpoint))).toMatchObject({ status: 503 });
  expect(await untilEvent(agent, "preflight-finding")).toMatchObject({ hint: expect.stringMatching(/\w/) });
  expect((await fetch(`${agent.url}/startupz`)).status).toBe(200);
  expect((await fetch(`${agent.url}/livez`)).status).toBe(200);

  const server = await stage.startServer();
  expect(await untilState(agent, "in-sync")).toMatchObject({ status: 200 });
  await untilEvent(agent, "preflight-cleared");
  await untilLookedAgain(agent);
  expect(server.told()).toBe(0);
});

test("a renewal that comes before the server is served by it from its start", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const agent = await stage.startAgent();
  await untilState(agent, "unreachable");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilEvent(agent, "reload-settled")).toMatchObject({ outcome: "refused", hint: expect.any(String) });
  await stage.startServer();
  await untilConfirmed(agent, renewed);
  expect(await untilState(agent, "in-sync")).toMatchObject({ status: 200 });
});

test("a server that stops makes the pod unready, and ready again when it is back", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");

  await server.stop();
  const { status, text } = await untilState(agent, "unreachable");
  expect({ status, text }).toEqual({ status: 503, text: expect.stringContaining(`${stage.endpoint}: `) });
  expect(await sampleOf(agent, "certhup_ready")).toBe(0);
  expect((await fetch(`${agent.url}/livez`)).status).toBe(200);

  const back = await stage.startServer();
  expect(await untilState(agent, "in-sync")).toMatchObject({ status: 200 });
  expect(back.told()).toBe(0);
});

test("a server that is back with another pid is told of the next renewal", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  await server.stop();
  await untilState(agent, "unreachable");
  const back = await stage.startServer();
  await untilState(agent, "in-sync");

  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 1 });
  expect(back.told()).toBe(1);
});

test("a server that refuses connections for a while after the signal is waited for, and told once", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer("closing");
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");

  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilEvent(agent, "verdict-changed", ({ verdict }) => verdict === "unreachable")).toMatchObject({
    reason: "connection-refused",
  });
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 1 });
  expect(await untilState(agent, "in-sync")).toMatchObject({ status: 200 });
  expect(server.told()).toBe(1);
});

test("under --reload none a server that reads its files by itself is waited for, and told nothing", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer("rereading");
  const agent = await stage.startAgent(["--reload", "none"]);
  await untilState(agent, "in-sync");

  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect(await stage.served()).toBe(renewed.fingerprint);
  expect(await untilState(agent, "in-sync")).toMatchObject({ status: 200 });
  expect(server.told()).toBe(0);
});

test("under --reload none a server that never reads its files again turns stale", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent(["--reload", "none", "--stale-grace", "1s"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  expect(await untilState(agent, "stale")).toMatchObject({ status: 503 });
  expect(server.told()).toBe(0);
});

test("under --endpoint none the server is told, and the agent says that it has no proof", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const flags = stage.target.map((flag) => (flag === stage.endpoint ? "none" : flag));
  const agent = await stage.startAgentWith(flags);
  expect(await untilState(agent, "in-sync", /not verified/)).toMatchObject({ status: 200 });
  expect(await untilEvent(agent, "unverified")).toMatchObject({ level: "warn" });

  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilEvent(agent, "rotation-ended", ({ outcome }) => outcome === "unverified");
  await server.untilOutput(/told to reload/);
  expect(await sampleOf(agent, "certhup_rotations_total", { outcome: "unverified" })).toBe(1);
  expect(await stage.served()).toBe(renewed.fingerprint);
});
