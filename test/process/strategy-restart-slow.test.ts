import { expect, test } from "vitest";
import { untilConfirmed, untilEvent, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import { createStage } from "../support/stage.ts";
import { superviseServer } from "../support/supervised-server.ts";

const restart = ["--reload", "restart", "--jitter", "0s", "--restart-min-interval", "1s", "--verify-timeout", "200ms"];

async function createDraining() {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  return { stage, server: await superviseServer(stage, "draining") };
}

test("a server that takes longer than the grace to end is told once, and waited for", async () => {
  const { stage, server } = await createDraining();
  const first = server.current();
  const agent = await stage.startAgent([...restart, "--restart-grace", "200ms"]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);

  await untilEvent(agent, "reload-settled", ({ outcome }) => outcome === "timed-out");
  expect(await untilEvent(agent, "reload-settled", ({ reason }) => reason === "restart-in-progress")).toMatchObject({
    outcome: "refused",
    detail: expect.stringContaining("has not ended yet"),
  });
  await untilConfirmed(agent, renewed);
  expect(first.output().match(/told to end/g)).toHaveLength(1);
  expect(server.restarts()).toBe(1);
});

test("--restart-kill ends a server that takes longer than the grace", async () => {
  const { stage, server } = await createDraining();
  const first = server.current();
  const agent = await stage.startAgent([...restart, "--restart-grace", "200ms", "--restart-kill"]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect(await first.ended).toBe("SIGKILL");
  await untilLookedAgain(agent);
  expect(server.restarts()).toBe(1);
});

test("an agent that is killed while the server takes its time to end restarts it no second time", async () => {
  const { stage, server } = await createDraining();
  const agent = await stage.startAgent(restart);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await server.current().untilOutput(/told to end/);
  agent.kill("SIGKILL");
  await agent.ended;
  const second = await stage.startAgent(restart);
  await untilState(second, "in-sync");
  expect(await stage.served()).toBe(renewed.fingerprint);
  await untilLookedAgain(second);
  expect(server.restarts()).toBe(1);
});
