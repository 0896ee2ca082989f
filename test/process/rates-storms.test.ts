import { expect, test } from "vitest";
import { sampleOf, untilConfirmed, untilEvent, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import { createStage } from "../support/stage.ts";
import { until } from "../support/until.ts";

test("a storm of renewals collapses to the newest content, and reloads keep their distance", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent(["--min-interval", "1500ms"]);
  await untilState(agent, "in-sync");

  const pairs = await Promise.all(Array.from({ length: 20 }, () => stage.issue()));
  const startMs = performance.now();
  for (const pair of pairs) await stage.publish(pair);
  const newest = pairs.at(-1) ?? (await stage.issue());
  await untilConfirmed(agent, newest);
  const stormMs = performance.now() - startMs;

  expect(await stage.served()).toBe(newest.fingerprint);
  // The first at once, then one for each interval.
  expect(server.told()).toBeLessThanOrEqual(2 + Math.floor(stormMs / 1_500));
  expect(agent.events("reload-scheduled")).toContainEqual(
    expect.objectContaining({ reason: expect.stringContaining("distance") }),
  );
  await untilState(agent, "in-sync");
  await untilLookedAgain(agent);
  expect(agent.events("reload-settled").every(({ outcome }) => outcome === "accepted")).toBe(true);
  expect(await sampleOf(agent, "certhup_reloads_total")).toBe(server.told());
});

test("while a reload keeps its distance the target is rotating, and says what it waits for", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent(["--min-interval", "1h"]);
  await untilState(agent, "in-sync");
  const first = await stage.issue();
  await stage.publish(first);
  await untilConfirmed(agent, first);

  await stage.publish(await stage.issue());
  await untilState(agent, "rotating");
  const { targets } = await agent.status();
  expect(targets[0].work).toMatchObject({
    kind: "backing-off",
    because: expect.stringContaining("distance"),
    retryInMs: expect.any(Number),
  });
  expect(targets[0].work.retryInMs).toBeGreaterThan(3_500_000);
  expect(server.told()).toBe(1);
});

test("a renewal that is taken back while it waits is not told at all", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent(["--min-interval", "1h"]);
  await untilState(agent, "in-sync");
  const first = await stage.issue();
  await stage.publish(first);
  await untilConfirmed(agent, first);

  await stage.publish(await stage.issue());
  await untilState(agent, "rotating");
  await stage.publish(first);
  await untilState(agent, "in-sync");
  expect(server.told()).toBe(1);
});

test("two writers whose keypairs take turns are named once, and counted", async () => {
  const stage = await createStage();
  const [one, other] = [await stage.issue(), await stage.issue()];
  await stage.publish(one);
  await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");

  for (let turn = 1; turn <= 6; turn++) {
    const pair = turn % 2 === 1 ? other : one;
    await stage.publish(pair);
    await until(
      () => agent.events("rotation-ended").filter(({ outcome }) => outcome === "confirmed").length,
      (count) => count >= turn,
      { what: `turn ${turn} to be confirmed` },
    );
    expect(await stage.served()).toBe(pair.fingerprint);
  }

  expect(await untilEvent(agent, "flip-flop")).toMatchObject({ level: "warn" });
  expect(agent.events("flip-flop")).toHaveLength(1);
  expect(await sampleOf(agent, "certhup_flip_flops_total")).toBe(1);
});
