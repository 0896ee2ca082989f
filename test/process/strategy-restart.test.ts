import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { LogLine, RunningAgent } from "../support/agent.ts";
import { untilConfirmed, untilEvent, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import { createStage } from "../support/stage.ts";
import { superviseServer } from "../support/supervised-server.ts";
import { until } from "../support/until.ts";

const restart = ["--reload", "restart", "--jitter", "0s", "--restart-min-interval", "1s"];

async function createSupervised() {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  return { stage, server: await superviseServer(stage) };
}

/** Waits for a new line of the log that is meant, and kills the agent, which has no time to do anything about it. */
async function killAt(agent: RunningAgent, before: number, isMoment: (line: LogLine) => boolean): Promise<void> {
  await until(
    () => agent.events().slice(before),
    (lines) => lines.some(isMoment),
    { everyMs: 2 },
  );
  agent.kill("SIGKILL");
  await agent.ended;
}

test("a server that can't reload is restarted once for each renewal, and serves it", async () => {
  const { stage, server } = await createSupervised();
  const agent = await stage.startAgent(restart);
  await untilState(agent, "in-sync");
  for (let times = 1; times <= 3; times++) {
    const renewed = await stage.issue();
    await stage.publish(renewed);
    await untilConfirmed(agent, renewed);
    expect(await stage.served()).toBe(renewed.fingerprint);
    expect(server.restarts()).toBe(times);
  }
  await untilLookedAgain(agent);
  expect(server.restarts()).toBe(3);
});

test("a server that has just been started is restarted later, and the status says when", async () => {
  const { stage, server } = await createSupervised();
  const agent = await stage.startAgent([...restart, "--restart-min-interval", "15m", "--stale-grace", "1s"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  await untilState(agent, "stale", /the server runs for \d+s only, and is restarted after 900s/);
  const { lastReload, work, preflight } = (await agent.status()).targets[0];
  expect(lastReload).toMatchObject({ outcome: "refused", reason: "restart-too-soon" });
  expect(work.retryInMs).toBeGreaterThan(600_000);
  expect(preflight).toEqual([]);
  expect(server.restarts()).toBe(0);
});

const moments: readonly (readonly [string, (line: LogLine) => boolean])[] = [
  ["the renewal was seen", ({ event }) => event === "keypair-accepted"],
  ["the rotation began", ({ event }) => event === "rotation-begun"],
  ["the server had ended", ({ event }) => event === "reload-settled"],
  ["the server was away", ({ event, reason }) => event === "verdict-changed" && reason === "connection-refused"],
  [
    "the server was back",
    ({ event, verdict, previous }) => event === "verdict-changed" && verdict === "match" && previous !== undefined,
  ],
  ["all was confirmed", ({ event }) => event === "rotation-ended"],
];

test.for(moments)("an agent that was killed when %s restarts the server no second time", async ([_, isMoment]) => {
  const { stage, server } = await createSupervised();
  const first = await stage.startAgent(restart);
  await untilState(first, "in-sync");
  const before = first.events().length;
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await killAt(first, before, isMoment);

  const second = await stage.startAgent(restart);
  await untilState(second, "in-sync");
  expect(await stage.served()).toBe(renewed.fingerprint);
  await untilLookedAgain(second);
  expect(server.restarts()).toBe(1);
});

test("an agent that was killed while the server was down waits for it, and restarts it no second time", async () => {
  const { stage, server } = await createSupervised();
  const first = await stage.startAgent(restart);
  await untilState(first, "in-sync");
  const held = server.hold();
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await server.untilEnded(1);
  first.kill("SIGKILL");
  await first.ended;

  const second = await stage.startAgent(restart);
  await untilState(second, "unreachable");
  await untilLookedAgain(second);
  held.release();
  await untilState(second, "in-sync");
  expect(await stage.served()).toBe(renewed.fingerprint);
  await untilLookedAgain(second);
  expect(server.restarts()).toBe(1);
});

test("killed at random moments of five rotations, agents restart the server five times in all", async () => {
  const { stage, server } = await createSupervised();
  let agent = await stage.startAgent(restart);
  await untilState(agent, "in-sync");
  for (let round = 1; round <= 5; round++) {
    const renewed = await stage.issue();
    await stage.publish(renewed);
    await wait(randomInt(0, 400));
    agent.kill("SIGKILL");
    await agent.ended;
    agent = await stage.startAgent(restart);
    await untilState(agent, "in-sync");
    expect(await stage.served()).toBe(renewed.fingerprint);
    expect(server.restarts()).toBe(round);
  }
});

test("a bad keypair never restarts the server", async () => {
  const { stage, server } = await createSupervised();
  const agent = await stage.startAgent(restart);
  await untilState(agent, "in-sync");
  const { certificatePem } = await stage.issue();
  await stage.publish({ certificatePem, keyPem: (await stage.issue()).keyPem });
  await untilState(agent, "refused");
  await untilEvent(agent, "keypair-refused");
  await untilLookedAgain(agent);
  expect(server.restarts()).toBe(0);
});
