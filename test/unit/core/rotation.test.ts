import { describe, expect, it } from "vitest";
import { isInSync } from "../../../src/core/probing.ts";
import { acceptedLook, factsOf, missingLook, policyOf, refusedLook } from "../../support/facts.ts";
import { SimulatedTarget } from "../../support/simulated-target.ts";

const first = factsOf("first");
const second = factsOf("second");
const third = factsOf("third");

/** A target that has been in sync with its first pair for a while. */
function inSync(more = {}): SimulatedTarget {
  const target = new SimulatedTarget(policyOf(more), acceptedLook(first), first);
  target.run(1_000);
  return target;
}

function eventsOf(target: SimulatedTarget): readonly string[] {
  return target.announced.map(({ event }) => event);
}

describe("at the start", () => {
  it("tells the server nothing if it serves what the volume holds", () => {
    const target = inSync();
    expect(target.reloads).toEqual([]);
    expect(target.state.wanted?.isConfirmed).toBe(true);
  });

  it("takes a swap that was missed for a pending rotation", () => {
    const target = new SimulatedTarget(policyOf(), acceptedLook(second), first);
    target.run(1_000);
    expect(target.reloads.length).toBe(1);
    expect(target.state.rotations).toMatchObject([{ cause: "start", outcome: "confirmed", reloads: 1 }]);
  });

  it("looks at the endpoints even while the volume holds nothing", () => {
    const target = new SimulatedTarget(policyOf(), missingLook(), first);
    target.run(1_000);
    expect(target.state.endpoints).toMatchObject([{ kind: "served" }]);
  });

  it("waits for a server that isn't there yet, without telling it anything", () => {
    const target = new SimulatedTarget(policyOf(), acceptedLook(first), undefined);
    target.run(30_000);
    target.served = first;
    target.run(10_000);
    expect(target.reloads).toEqual([]);
    expect(target.state.wanted?.isConfirmed).toBe(true);
  });

  it("does not take one old answer for a missed swap", () => {
    const target = new SimulatedTarget(policyOf(), acceptedLook(second), first);
    target.answerLook();
    target.answerProbe();
    target.served = second;
    target.run(1_000);
    expect(target.reloads).toEqual([]);
    expect(target.state.wanted?.isConfirmed).toBe(true);
  });
});

describe("a renewal", () => {
  it("is told to the server in the same moment in which it is seen", () => {
    const target = inSync();
    target.publish(acceptedLook(second));
    const seen = target.at;
    target.answerLook();
    expect(target.reloads).toMatchObject([{ at: seen, volume: "accepted", rung: 0 }]);
  });

  it("is confirmed only by as many matches in a row as the policy asks", () => {
    const target = inSync({ confirm: 5 });
    target.publish(acceptedLook(second));
    target.run(1_000);
    expect(target.state.rotations[0]).toMatchObject({ cause: "renewal", outcome: "confirmed" });
    expect(target.answeredRounds).toEqual(Array.from({ length: 5 }, () => second.fingerprint));
  });

  it("starts to count anew after an old answer between new ones", () => {
    const target = inSync();
    target.publish(acceptedLook(second));
    target.answerLook();
    target.answerReload();
    target.served = first;
    target.answerProbe();
    target.wake();
    target.served = second;
    target.answerProbe();
    target.run(1_000);
    expect(target.reloads.length).toBe(1);
    expect(target.answeredRounds.slice(0, 2)).toContain(first.fingerprint);
    expect(target.state.rotations[0]).toMatchObject({ outcome: "confirmed" });
  });

  it("that arrives while a reload runs is told when that reload ends", () => {
    const target = inSync();
    target.publish(acceptedLook(second));
    target.answerLook();
    target.publish(acceptedLook(third));
    target.answerLook();
    expect(target.pendingReloads).toBe(1);
    target.run(1_000);
    expect(target.reloads.length).toBe(2);
    expect(target.state.rotations.map(({ outcome }) => outcome)).toEqual(["confirmed", "superseded"]);
  });

  it("of which no handshake can show anything counts only once a reload was accepted", () => {
    const target = inSync();
    target.manner = "fails-to-be-told";
    target.publish(acceptedLook(first, "the same pair with another CA file"));
    target.run(5_000);
    expect(target.state.rotation).toMatchObject({ isVisible: false });
    target.manner = "reloads";
    target.run(60_000);
    expect(target.state.rotations[0]).toMatchObject({ outcome: "confirmed" });
  });
});

describe("a server that ignores the signal", () => {
  it("is told again, each time after a longer wait", () => {
    const target = inSync({ verifyTimeoutMs: 1_000 });
    target.manner = "ignores";
    target.publish(acceptedLook(second));
    target.run(120_000);
    const waits = target.reloads
      .slice(1)
      .map(({ at }, position) => at.monotonicMs - (target.reloads[position]?.at.monotonicMs ?? 0));
    expect(waits.length).toBeGreaterThan(3);
    expect(waits).toEqual(waits.toSorted((left, right) => left - right));
  });

  it("is called stale once, when the grace is over", () => {
    const target = inSync();
    target.manner = "ignores";
    target.publish(acceptedLook(second));
    target.run(59_000);
    expect(eventsOf(target)).not.toContain("turned-stale");
    target.run(120_000);
    expect(eventsOf(target).filter((event) => event === "turned-stale").length).toBe(1);
  });

  it("counts as served as soon as it serves the new pair, whatever did it", () => {
    const target = inSync();
    target.manner = "ignores";
    target.publish(acceptedLook(second));
    target.run(90_000);
    target.served = second;
    const reloads = target.reloads.length;
    target.run(10_000);
    expect(target.reloads.length).toBe(reloads);
    expect(target.state.rotations[0]).toMatchObject({ outcome: "confirmed" });
  });
});

describe("a storm of renewals that a server ignores", () => {
  it("does not put off the moment at which the target is stale", () => {
    const target = inSync();
    target.manner = "ignores";
    for (let count = 0; count < 7; count++) {
      target.publish(acceptedLook(factsOf(`renewal ${count}`)));
      target.run(10_000);
    }
    expect(eventsOf(target)).toContain("turned-stale");
  });
});

describe("a bad pair", () => {
  it("leads to no reload and ends the one that is owed", () => {
    const target = inSync({ verifyTimeoutMs: 1_000 });
    target.manner = "ignores";
    target.publish(acceptedLook(second));
    target.run(1_500);
    const reloads = target.reloads.length;
    target.publish(refusedLook(third));
    target.run(300_000);
    expect(target.reloads.length).toBe(reloads);
    expect(target.state.work.kind).toBe("idle");
  });

  it("that gives way to the pair which is served owes nothing", () => {
    const target = inSync();
    target.publish(refusedLook(second));
    target.run(1_000);
    target.publish(acceptedLook(first));
    target.run(5_000);
    expect(target.reloads).toEqual([]);
  });
});

describe("a watchdog", () => {
  it("finds a server that fell back to an old certificate without any file event", () => {
    const target = inSync();
    target.publish(acceptedLook(second));
    target.run(1_000);
    target.served = first;
    target.run(61_000);
    expect(target.state.rotations[0]).toMatchObject({ cause: "drift", outcome: "confirmed" });
    expect(target.served).toEqual(second);
  });

  it("that sees one old answer believes the server again only after a whole confirmation", () => {
    const target = inSync();
    target.served = second;
    target.wake();
    target.answerProbe();
    target.served = first;
    target.wake();
    target.answerProbe();
    expect(isInSync(target.state, target.policy)).toBe(false);
    target.run(1_000);
    expect(isInSync(target.state, target.policy)).toBe(true);
    expect(target.reloads).toEqual([]);
  });

  it("does not tell a server that can't be reached", () => {
    const target = inSync();
    target.served = undefined;
    target.run(600_000);
    expect(target.reloads).toEqual([]);
  });
});

describe("without an endpoint", () => {
  it("the reload's word ends the rotation, and says that nothing was proved", () => {
    const target = new SimulatedTarget(policyOf({ endpoints: [] }), acceptedLook(first), first);
    target.run(1_000);
    target.publish(acceptedLook(second));
    target.run(1_000);
    expect(target.state.rotations).toMatchObject([{ outcome: "unverified" }]);
  });
});

describe("a server that picks its pair up by itself", () => {
  it("is never told, and confirmed whenever it has done so", () => {
    const target = inSync({ ladder: [] });
    target.publish(acceptedLook(second));
    target.run(90_000);
    target.served = second;
    target.run(10_000);
    expect(target.reloads).toEqual([]);
    expect(target.state.rotations[0]).toMatchObject({ outcome: "confirmed" });
  });
});
