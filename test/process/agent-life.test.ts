import { randomInt } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { untilConfirmed, untilEvent, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import { createStage } from "../support/stage.ts";
import { until } from "../support/until.ts";

test.for(["SIGTERM", "SIGINT"] as const)("on %s the agent ends within a second, with status 0", async (signal) => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  // A scraper that keeps its connection open must not hold the end up.
  await agent.metrics();
  const askedMs = performance.now();
  agent.kill(signal);
  expect(await agent.ended).toBe(0);
  expect(performance.now() - askedMs).toBeLessThan(1_000);
  expect(agent.events("stopping")).toMatchObject([{ cause: signal }]);
});

test("after SIGTERM the agent tells the server nothing more, even in the middle of a rotation", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer("deaf");
  const agent = await stage.startAgent(["--verify-timeout", "300ms"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  await until(server.told, (times) => times > 0);

  agent.kill("SIGTERM");
  await stage.publish(await stage.issue());
  expect(await agent.ended).toBe(0);
  const told = server.told();
  const stopped = agent.events().findIndex(({ event }) => event === "stopping");
  expect(
    agent
      .events()
      .slice(stopped)
      .filter(({ event }) => event === "reload-settled"),
  ).toEqual([]);
  // The server has answered a handshake since, so a signal that was sent before the end has been handled.
  await stage.served();
  expect(server.told()).toBe(told);
});

test("SIGTERM before there is anything to do ends the agent as well", async () => {
  const stage = await createStage();
  const agent = await stage.startAgent();
  agent.kill("SIGTERM");
  expect(await agent.ended).toBe(0);
});

test("killed at random moments of its rotations and started again, the agent converges", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  let agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  for (let round = 0; round < 5; round++) {
    const renewed = await stage.issue();
    await stage.publish(renewed);
    // From before the reload to after the confirmation: a rotation takes about 200 ms.
    await wait(randomInt(0, 250));
    agent.kill("SIGKILL");
    await agent.ended;
    agent = await stage.startAgent();
    await untilState(agent, "in-sync");
    expect(await stage.served()).toBe(renewed.fingerprint);
  }
});

test("killed after its rotation and started again, the agent tells the server nothing", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const first = await stage.startAgent();
  await untilState(first, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(first, renewed);
  first.kill("SIGKILL");
  await first.ended;
  const second = await stage.startAgent();
  await untilState(second, "in-sync");
  await untilLookedAgain(second);
  expect(server.told()).toBe(1);
});

test("an empty directory is waited for, and the first keypair in it is proved once a server has it", async () => {
  const stage = await createStage();
  const agent = await stage.startAgent();
  expect(await untilState(agent, "waiting", /is empty/)).toMatchObject({ status: 503 });
  expect((await fetch(`${agent.url}/livez`)).status).toBe(200);

  await stage.publish(await stage.issue());
  await untilEvent(agent, "keypair-accepted");
  await stage.startServer();
  expect(await untilState(agent, "in-sync")).toMatchObject({ status: 200 });
});

test("a directory that isn't there yet is waited for, and named until then", async () => {
  const stage = await createStage();
  await rm(stage.volume.directory, { recursive: true });
  const agent = await stage.startAgent();
  expect(await untilState(agent, "waiting", /there is no directory/)).toMatchObject({ status: 503 });
  await mkdir(stage.volume.directory);
  await stage.publish(await stage.issue());
  await untilEvent(agent, "keypair-accepted");
});

test("a directory that goes away and comes back with a newer keypair ends as that one", async () => {
  const stage = await createStage();
  const old = await stage.issue();
  await stage.publish(old);
  await stage.startServer();
  const agent = await stage.startAgent(["--write-grace", "500ms"]);
  await untilState(agent, "in-sync");

  await rename(stage.volume.directory, `${stage.volume.directory}-away`);
  expect(await untilState(agent, "refused")).toMatchObject({ status: 200 });
  expect(await stage.served()).toBe(old.fingerprint);

  const renewed = await stage.issue();
  await mkdir(stage.volume.directory);
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  await untilState(agent, "in-sync");
});

test("an agent in sync does nothing but what poll and watchdog ask for", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const agent = await stage.startAgent(["--watch-interval", "1h", "--verify-interval", "1h"]);
  await untilState(agent, "in-sync");
  await untilEvent(agent, "watch-mode");
  const before = agent.events();
  // Longer than any pace of a rotation.
  await wait(1_500);
  expect(agent.events()).toEqual(before);
});
