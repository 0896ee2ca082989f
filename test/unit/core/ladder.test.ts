import { describe, expect, it } from "vitest";
import { acceptedLook, factsOf, policyOf, startMs } from "../../support/facts.ts";
import { SimulatedTarget } from "../../support/simulated-target.ts";

const first = factsOf("first");
const second = factsOf("second");
const third = factsOf("third");
const signal = { strategy: "signal", attempts: 2, spreadMs: 0, leastRetryMs: 0 };
const restart = { strategy: "restart", attempts: 1, spreadMs: 120_000, leastRetryMs: 0 };

/** A target in sync whose server has this manner from now on. */
function inSync(manner: SimulatedTarget["manner"], more: Parameters<typeof policyOf>[0] = {}): SimulatedTarget {
  const policy = policyOf({ ladder: [signal, restart], verifyTimeoutMs: 1_000, ...more });
  const target = new SimulatedTarget(policy, acceptedLook(first), first);
  target.run(1_000);
  target.manner = manner;
  return target;
}

function rungsOf(target: SimulatedTarget): readonly number[] {
  return target.reloads.map(({ rung }) => rung);
}

describe("the ladder", () => {
  it("is climbed when a way was tried often enough and the pair is seen unserved", () => {
    const target = inSync("ignores");
    target.publish(acceptedLook(second));
    target.run(60_000);
    expect(rungsOf(target).slice(0, 4)).toEqual([0, 0, 1, 1]);
  });

  it("is climbed at once where trying again would change nothing", () => {
    const target = inSync("cannot-be-told");
    target.publish(acceptedLook(second));
    target.run(3_000);
    expect(rungsOf(target).slice(0, 2)).toEqual([0, 1]);
  });

  it("is not climbed while nobody knows what is served", () => {
    const target = inSync("fails-to-be-told");
    target.served = undefined;
    target.publish(acceptedLook(second));
    target.run(600_000);
    expect(new Set(rungsOf(target))).toEqual(new Set([0]));
  });

  it("is climbed from the bottom again by the next renewal", () => {
    const target = inSync("ignores");
    target.publish(acceptedLook(second));
    target.run(60_000);
    const climbed = rungsOf(target).length;
    target.publish(acceptedLook(third));
    target.run(2_000);
    expect(rungsOf(target)[climbed]).toBe(0);
  });

  it("lets replicas take turns before they interrupt the server", () => {
    const waits = [0, 0.5, 0.9].map((spreadShare) => {
      const target = inSync("reloads", { ladder: [restart], spreadShare });
      target.publish(acceptedLook(second));
      const seenMs = target.at.monotonicMs;
      target.run(200_000);
      return Math.round((target.reloads[0]?.at.monotonicMs ?? 0) - seenMs);
    });
    expect(waits).toEqual([0, 60_000, 108_000]);
  });

  it("never spreads over more than a third of what the served certificate has left", () => {
    const ending = factsOf("ending", { notAfter: startMs + 61_000 });
    const policy = policyOf({ ladder: [restart], spreadShare: 0.9 });
    const target = new SimulatedTarget(policy, acceptedLook(ending), ending);
    target.run(1_000);
    target.publish(acceptedLook(second));
    target.run(59_000);
    expect((target.reloads[0]?.at.monotonicMs ?? 0) - 1_000).toBeCloseTo(20_000, -3);
  });

  it("asks the agent to end itself where that is the way", () => {
    const target = inSync("asks-to-exit", {
      ladder: [{ strategy: "exit", attempts: 1, spreadMs: 0, leastRetryMs: 0 }],
    });
    target.publish(acceptedLook(second));
    target.run(1_000);
    expect(target.exits).toEqual([85]);
  });
});

describe("waiting between two tries", () => {
  it("follows the strategy's word where it knows when to come back", () => {
    const target = inSync("comes-back-later", { ladder: [signal] });
    target.publish(acceptedLook(second));
    target.run(100_000);
    const [before, after] = target.reloads.map(({ at }) => at.monotonicMs);
    expect((after ?? 0) - (before ?? 0)).toBe(40_000);
  });

  it("is long for a server that turned the reload down", () => {
    const target = inSync("turns-down", { ladder: [signal] });
    target.publish(acceptedLook(second));
    target.run(100_000);
    const [before, after] = target.reloads.map(({ at }) => at.monotonicMs);
    expect((after ?? 0) - (before ?? 0)).toBe(60_000);
  });

  it("is longer each time for a server that is interrupted for nothing", () => {
    const minutes = 60_000;
    const ladder = [{ ...restart, spreadMs: 0, leastRetryMs: 15 * minutes }];
    const target = inSync("ignores", { ladder });
    target.publish(acceptedLook(second));
    target.run(300 * minutes);
    const times = target.reloads.map(({ at }) => at.monotonicMs);
    const waits = times.slice(1).map((time, position) => Math.round((time - (times[position] ?? 0)) / minutes));
    expect(waits).toEqual([15, 30, 60, 120]);
  });

  it("that a strategy asks for is no try", () => {
    const target = inSync("comes-back-later", { ladder: [{ ...signal, attempts: 1 }, restart] });
    target.publish(acceptedLook(second));
    target.run(200_000);
    expect(new Set(rungsOf(target))).toEqual(new Set([0]));
  });

  it("is not shortened to nothing once the served certificate has ended", () => {
    const ending = factsOf("ending", { notAfter: startMs + 2_000 });
    const target = new SimulatedTarget(policyOf(), acceptedLook(ending), ending);
    target.run(1_000);
    target.manner = "turns-down";
    target.publish(acceptedLook(second));
    target.run(600_000);
    expect(target.reloads.length).toBeLessThan(25);
  });

  it("is short for a server that isn't there yet", () => {
    const target = inSync("fails-to-be-told", { ladder: [signal] });
    target.publish(acceptedLook(second));
    target.run(120_000);
    const times = target.reloads.map(({ at }) => at.monotonicMs);
    expect(Math.max(...times.slice(1).map((time, position) => time - (times[position] ?? 0)))).toBe(5_000);
  });
});

describe("renewals that come faster than reloads may", () => {
  it("collapse to the newest content", () => {
    const target = inSync("reloads", { minIntervalMs: 10_000, ladder: [signal] });
    for (let count = 0; count < 100; count++) {
      target.publish(acceptedLook(factsOf(`renewal ${count}`)));
      target.run(100);
    }
    target.run(20_000);
    expect(target.reloads.length).toBeLessThanOrEqual(3);
    expect(target.served).toEqual(factsOf("renewal 99"));
  });

  it("wait for nothing where the last reload is long ago", () => {
    const target = inSync("reloads", { minIntervalMs: 10_000, ladder: [signal] });
    target.publish(acceptedLook(second));
    target.answerLook();
    expect(target.pendingReloads).toBe(1);
  });
});

describe("two contents that take turns", () => {
  it("are named once", () => {
    const target = inSync("reloads");
    for (const certificate of [second, first, second, first, second, first]) {
      target.publish(acceptedLook(certificate));
      target.run(1_000);
    }
    expect(target.announced.filter(({ event }) => event === "flip-flop").length).toBe(1);
  });

  it("are not what a roll back is", () => {
    const target = inSync("reloads");
    for (const certificate of [second, first, third]) {
      target.publish(acceptedLook(certificate));
      target.run(1_000);
    }
    expect(target.announced.filter(({ event }) => event === "flip-flop")).toEqual([]);
  });
});
