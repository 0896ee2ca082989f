import { describe, expect, it } from "vitest";
import { acceptedLook, factsOf, missingLook, plainLook, policyOf, refusedLook } from "../../support/facts.ts";
import { SimulatedTarget } from "../../support/simulated-target.ts";

const first = factsOf("first");
const second = factsOf("second");

function eventsOf(target: SimulatedTarget): readonly string[] {
  return target.announced.map(({ event }) => event);
}

describe("files that are not published in one step", () => {
  it("are taken up once they have rested", () => {
    const target = new SimulatedTarget(policyOf(), plainLook(first), first);
    target.run(1_000);
    target.publish(plainLook(second));
    target.answerLook();
    expect(target.reloads).toEqual([]);
    target.run(600);
    expect(target.reloads.length).toBe(1);
  });

  it("are waited for in silence while half of them is written", () => {
    const target = new SimulatedTarget(policyOf(), plainLook(first), first);
    target.run(1_000);
    target.publish(refusedLook(second, false));
    target.run(5_000);
    target.publish(plainLook(second));
    target.run(2_000);
    expect(eventsOf(target)).not.toContain("keypair-refused");
    expect(target.state.rotations).toMatchObject([{ outcome: "confirmed" }]);
  });

  it("are not read by the server, that was to be told again, while half of them is written", () => {
    const policy = policyOf({ verifyTimeoutMs: 1_000 });
    const target = new SimulatedTarget(policy, plainLook(first), first);
    target.run(1_000);
    target.manner = "ignores";
    target.publish(plainLook(second));
    target.run(2_500);
    const reloads = target.reloads.length;
    target.publish(refusedLook(factsOf("third"), false));
    target.run(9_000);
    expect(target.reloads.length).toBe(reloads);
    target.manner = "reloads";
    target.publish(plainLook(factsOf("third")));
    target.run(3_000);
    expect(target.served).toEqual(factsOf("third"));
  });

  it("are called wrong when the grace is over", () => {
    const target = new SimulatedTarget(policyOf(), plainLook(first), first);
    target.run(1_000);
    target.publish(refusedLook(second, false));
    target.run(11_000);
    expect(eventsOf(target).filter((event) => event === "keypair-refused").length).toBe(1);
  });
});

describe("a volume that can't be read any more", () => {
  it("is waited for before it is told, and costs no reload when it comes back", () => {
    const target = new SimulatedTarget(policyOf(), acceptedLook(first), first);
    target.run(1_000);
    target.publish(missingLook());
    target.run(5_000);
    expect(eventsOf(target)).not.toContain("volume-missing");
    target.run(6_000);
    expect(eventsOf(target)).toContain("volume-missing");
    target.publish(acceptedLook(first));
    target.run(5_000);
    expect(target.reloads).toEqual([]);
  });
});
