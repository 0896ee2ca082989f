import { expect, test } from "vitest";
import { sampleOf, untilConfirmed, untilEvent, untilState } from "../support/agent-waits.ts";
import { createStage } from "../support/stage.ts";
import { startAgentFor, targetOf, untilTarget } from "../support/staged-targets.ts";
import { superviseServer } from "../support/supervised-server.ts";

const ladder = [
  ...["--reload", "signal,restart", "--reload-attempts", "2", "--verify-timeout", "300ms"],
  ...["--restart-min-interval", "1s", "--jitter", "0s"],
];

test("a server that takes no notice of the signal is restarted after as many tries as were asked for", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await superviseServer(stage, "deaf");
  const agent = await stage.startAgent(ladder);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);

  await untilConfirmed(agent, renewed);
  expect(await stage.served()).toBe(renewed.fingerprint);
  expect(server.restarts()).toBe(1);
  const settled = agent.events("reload-settled").map(({ strategy, outcome }) => [strategy, outcome]);
  expect(settled.filter(([strategy]) => strategy === "signal")).toEqual([
    ["signal", "accepted"],
    ["signal", "accepted"],
  ]);
  expect(settled.at(-1)).toEqual(["restart", "accepted"]);
  expect(await sampleOf(agent, "certhup_reloads_total", { strategy: "restart", outcome: "accepted" })).toBe(1);
});

test("a server without a handler for the signal is not signalled but restarted, at once", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await superviseServer(stage);
  const agent = await stage.startAgent([...ladder, "--reload-attempts", "50"]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);

  await untilConfirmed(agent, renewed);
  expect(server.restarts()).toBe(1);
  const [first, next] = agent.events("reload-settled");
  expect(first).toMatchObject({ strategy: "signal", outcome: "refused", reason: "signal-not-handled" });
  expect(next).toMatchObject({ strategy: "restart" });
});

test("the next rotation begins at the foot of the ladder again", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await superviseServer(stage, "deaf");
  const agent = await stage.startAgent([...ladder, "--reload-attempts", "1"]);
  await untilState(agent, "in-sync");
  for (let times = 1; times <= 2; times++) {
    const renewed = await stage.issue();
    await stage.publish(renewed);
    await untilConfirmed(agent, renewed);
    expect(server.restarts()).toBe(times);
  }
  const ways = agent.events("reload-settled").filter(({ outcome }) => outcome === "accepted");
  expect(ways.map(({ strategy }) => strategy)).toEqual(["signal", "restart", "signal", "restart"]);
});

test("a ladder never steps up for a keypair that is refused, or for a server that can't be reached", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer("deaf");
  const agent = await stage.startAgent([...ladder, "--reload-attempts", "1", "--restart-min-interval", "0s"]);
  await untilState(agent, "in-sync");
  const { certificatePem } = await stage.issue();
  await stage.publish({ certificatePem, keyPem: (await stage.issue()).keyPem });
  await untilState(agent, "refused");
  expect(agent.events("reload-settled")).toEqual([]);

  await server.stop();
  await untilState(agent, "unreachable");
  await stage.publish(await stage.issue());
  await untilEvent(agent, "reload-settled", ({ attempt }) => Number(attempt) >= 2);
  expect(new Set(agent.events("reload-settled").map(({ strategy }) => strategy))).toEqual(new Set(["signal"]));
});

test("a ladder is a list in the configuration file", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await superviseServer(stage);
  const agent = await startAgentFor([
    targetOf(stage, { name: "listed", reload: ["signal", "restart"], restartMinInterval: "1s", jitter: "0s" }),
  ]);
  await untilTarget(agent, "listed", "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect(server.restarts()).toBe(1);
});
