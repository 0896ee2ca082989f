import { expect, test } from "vitest";
import { untilEvent, untilState } from "../support/agent-waits.ts";
import { createStage } from "../support/stage.ts";

const exit = ["--reload", "exit", "--jitter", "0s", "--verify-timeout", "300ms", "--stale-grace", "500ms"];

test("under --reload exit the agent ends once with the status that the pod has a rule for", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent([...exit, "--exit-status", "93", "--restart-min-interval", "0s"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  expect(await agent.ended).toBe(93);
  expect(agent.events("reload-settled")).toMatchObject([{ strategy: "exit", outcome: "accepted" }]);
  expect(agent.events("stopping")).toMatchObject([{ cause: 93 }]);
  expect(server.told()).toBe(0);
});

test("an agent whose end didn't help says so, and doesn't end again at once", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const first = await stage.startAgent([...exit, "--restart-min-interval", "0s"]);
  await untilState(first, "in-sync");
  await stage.publish(await stage.issue());
  expect(await first.ended).toBe(85);

  // The pod's rule started the agent alone: the server goes on with its old certificate.
  const second = await stage.startAgent(exit);
  expect(await untilEvent(second, "reload-settled")).toMatchObject({
    strategy: "exit",
    outcome: "refused",
    reason: "restart-too-soon",
    detail: expect.stringMatching(/^the agent runs for \d+s only, and is restarted after 900s at the earliest$/),
  });
  expect(await untilState(second, "stale", /the agent runs for/)).toMatchObject({ status: 503 });
  const { targets } = await second.status();
  expect(targets[0].work).toMatchObject({ kind: "backing-off", strategy: "exit" });
  expect(targets[0].work.retryInMs).toBeGreaterThan(600_000);
});

test("an agent that has run for long enough ends again, for a server that stays stale", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  await stage.publish(await stage.issue());
  const agent = await stage.startAgent([...exit, "--restart-min-interval", "2s"]);
  await untilEvent(agent, "reload-settled", ({ reason }) => reason === "restart-too-soon");
  expect(await agent.ended).toBe(85);
});

test("all containers started anew serve the new certificate, and nothing ends again", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const first = await stage.startAgent([...exit, "--restart-min-interval", "1s"]);
  await untilState(first, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await first.ended).toBe(85);
  await server.stop();

  const second = await stage.startAgent([...exit, "--restart-min-interval", "1s"]);
  await stage.startServer();
  await untilState(second, "in-sync");
  expect(await stage.served()).toBe(renewed.fingerprint);
  expect(second.events("rotation-begun")).toEqual([]);
});

test("a ladder ends the agent only after the gentler way has been tried", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer("deaf");
  const ladder = ["--reload", "signal,exit", "--reload-attempts", "2", "--restart-min-interval", "0s"];
  const agent = await stage.startAgent([...exit, ...ladder]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await agent.ended).toBe(85);
  expect(agent.events("reload-settled").map(({ strategy, attempt }) => [strategy, attempt])).toEqual([
    ["signal", 1],
    ["signal", 2],
    ["exit", 1],
  ]);
  expect(server.told()).toBe(2);
});

test("a refused keypair never ends the agent", async () => {
  const stage = await createStage();
  const good = await stage.issue();
  await stage.publish(good);
  await stage.startServer();
  const agent = await stage.startAgent([...exit, "--restart-min-interval", "0s"]);
  await untilState(agent, "in-sync");
  await stage.publish({ certificatePem: good.certificatePem, keyPem: (await stage.issue()).keyPem });
  await untilState(agent, "refused");
  await stage.publish(good);
  await untilState(agent, "in-sync");
  expect(agent.events("reload-settled")).toEqual([]);
});
