import { expect, test } from "vitest";
import type { RunningAgent } from "../support/agent.ts";
import { untilConfirmed, untilEvent, untilState } from "../support/agent-waits.ts";
import { createStage } from "../support/stage.ts";
import { superviseServer } from "../support/supervised-server.ts";

const restart = ["--reload", "restart", "--restart-min-interval", "0s"];

/** How long the agent of this pod waits before it restarts its server. */
async function turnOf(agent: RunningAgent): Promise<number> {
  const { delayMs } = await untilEvent(agent, "reload-scheduled", ({ reason }) => reason === "replicas take turns");
  return Number(delayMs);
}

test("replicas restart their servers at different times, by the pod's name, and the same after each start", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await superviseServer(stage);
  await stage.publish(await stage.issue());
  const turns: number[] = [];
  for (const name of ["web-0", "web-1", "web-0"]) {
    const agent = await stage.startAgent([...restart, "--jitter", "1h", "--pod-name", name]);
    turns.push(await turnOf(agent));
    const { work } = (await agent.status()).targets[0];
    expect(work).toMatchObject({ kind: "backing-off", strategy: "restart", because: "replicas take turns" });
    await agent.stop();
  }
  const [first = 0, second = 0, again = 0] = turns;
  expect(first).toBe(again);
  expect(Math.abs(first - second)).toBeGreaterThan(1_000);
  expect(Math.max(first, second)).toBeLessThan(3_600_000);
  expect(server.restarts()).toBe(0);
});

test("no replica waits for more than a third of what the served certificate has left", async () => {
  const stage = await createStage();
  const endsMs = Date.now() + 15_000;
  await stage.publish(await stage.issue({ notAfter: new Date(endsMs) }));
  const server = await superviseServer(stage);
  const agent = await stage.startAgent([...restart, "--jitter", "24h"]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await turnOf(agent)).toBeLessThanOrEqual(5_000);
  await untilConfirmed(agent, renewed);
  expect(Date.now()).toBeLessThan(endsMs);
  expect(server.restarts()).toBe(1);
});

test("a way that interrupts nothing waits for nobody's turn", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const agent = await stage.startAgent(["--reload", "signal,restart", "--jitter", "1h"]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 1 });
  expect(agent.events("reload-scheduled")).toEqual([]);
});
