import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isInSync } from "../../../src/core/probing.ts";
import type { VolumeLook } from "../../../src/core/volume-look.ts";
import { judgeReadiness } from "../../../src/status/readiness.ts";
import { acceptedLook, factsOf, missingLook, plainLook, policyOf, refusedLook } from "../../support/facts.ts";
import { SimulatedTarget } from "../../support/simulated-target.ts";

const certificates = ["a", "b", "c"].map((name) => factsOf(name));
const foreign = factsOf("foreign", { issuer: "CN=mesh", names: ["mesh.example"] });
const certificate = fc.constantFrom(...certificates);
const look: fc.Arbitrary<VolumeLook> = fc.oneof(
  { weight: 4, arbitrary: certificate.map((facts) => acceptedLook(facts)) },
  certificate.map((facts) => acceptedLook(facts, `${facts.fingerprint} with another CA file`)),
  certificate.map((facts) => refusedLook(facts)),
  certificate.map((facts) => refusedLook(facts, false)),
  certificate.map((facts) => plainLook(facts)),
  fc.constant(missingLook()),
);
const signal = { strategy: "signal", attempts: 2, spreadMs: 0, leastRetryMs: 0 };
const restart = { strategy: "restart", attempts: 1, spreadMs: 120_000, leastRetryMs: 0 };
const ladders = [[], [signal], [signal, restart], [restart]];
const policy = fc
  .record({
    confirm: fc.integer({ min: 1, max: 4 }),
    endpoints: fc.constantFrom([], ["127.0.0.1:8443"], ["127.0.0.1:8443", "127.0.0.1:9443"]),
    ladder: fc.constantFrom(...ladders),
    minIntervalMs: fc.constantFrom(0, 2_000),
    spreadShare: fc.double({ min: 0, max: 0.99, noNaN: true }),
  })
  .map((more) => policyOf(more));

type Act = (target: SimulatedTarget) => void;
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Act>((target) => target.wake()) },
  { weight: 3, arbitrary: fc.constant<Act>((target) => target.answerProbe()) },
  { weight: 2, arbitrary: fc.constant<Act>((target) => target.answerLook()) },
  { weight: 2, arbitrary: fc.constant<Act>((target) => target.answerReload()) },
  fc.integer({ min: 0, max: 70_000 }).map(
    (ms): Act =>
      (target) =>
        target.pass(ms),
  ),
  {
    weight: 3,
    arbitrary: fc.integer({ min: 10, max: 1_000 }).map(
      (ms): Act =>
        (target) =>
          target.run(ms),
    ),
  },
  look.map(
    (next): Act =>
      (target) =>
        target.publish(next),
  ),
  fc.constantFrom("reloads", "ignores", "fails-to-be-told", "runs-out-of-time").map(
    (manner): Act =>
      (target) => {
        target.manner = manner as SimulatedTarget["manner"];
      },
  ),
  fc.option(fc.constantFrom(...certificates, foreign), { nil: undefined }).map(
    (served): Act =>
      (target) => {
        target.served = served;
      },
  ),
);
const story = fc.record({ policy, first: look, served: certificate, acts: fc.array(act, { maxLength: 80 }) });

function tell(check: (target: SimulatedTarget) => void): void {
  fc.assert(
    fc.property(story, ({ policy: told, first, served, acts }) => {
      const target = new SimulatedTarget(told, first, served);
      check(target);
      for (const next of acts) {
        next(target);
        check(target);
      }
    }),
    { numRuns: 1_000 },
  );
}

describe("whatever happens in whatever order", () => {
  it("runs at most one reload at a time", () => {
    tell((target) => expect(target.pendingReloads).toBeLessThanOrEqual(1));
  });

  it("never tells the server while the volume holds anything but an accepted pair", () => {
    tell((target) => expect(target.reloads.every(({ volume }) => volume === "accepted")).toBe(true));
  });

  it("never tells the server while plain files are being written", () => {
    tell((target) => expect(target.reloads.every(({ isSettling }) => !isSettling)).toBe(true));
  });

  it("is in sync only if the last rounds since the server was told showed the last accepted pair", () => {
    tell(({ state, policy: told, answeredRounds }) => {
      if (!isInSync(state, told) || told.endpoints.length === 0) return;
      const wanted = state.wanted?.certificate.fingerprint;
      expect(answeredRounds.slice(-told.confirm)).toEqual(Array.from({ length: told.confirm }, () => wanted));
    });
  });

  it("waits for an answer or has a time to wake while anything is owed", () => {
    tell((target) => {
      const { state, policy: told } = target;
      if (isInSync(state, told) && told.endpoints.length === 0) return;
      const isHopeless =
        told.endpoints.length === 0 && state.volume.kind !== "accepted" && state.settling === undefined;
      if (isHopeless) return;
      const pending = target.pendingLooks + target.pendingReloads + target.pendingRounds.length;
      expect(pending > 0 || target.wakeMs !== undefined).toBe(true);
    });
  });

  it("explains its readiness in every state", () => {
    tell((target) => {
      const readiness = judgeReadiness(target.state, target.policy, "served", target.at);
      expect(readiness.reason).not.toBe("");
      expect(readiness.isReady).toBe(["in-sync", "rotating", "refused"].includes(readiness.state));
    });
  });

  it("keeps bounded lists of what has been", () => {
    tell(({ state }) => {
      expect(state.rotations.length).toBeLessThanOrEqual(20);
      expect(state.earlier.length).toBeLessThanOrEqual(20);
    });
  });

  it("serves the newest valid pair once the world is calm and the server does as it is told", () => {
    fc.assert(
      fc.property(story, certificate, ({ policy: told, first, served, acts }, last) => {
        const endpoints = ["127.0.0.1:8443"];
        const target = new SimulatedTarget(
          { ...told, endpoints, ladder: told.ladder.length === 0 ? [signal] : told.ladder },
          first,
          served,
        );
        for (const next of acts) next(target);
        target.manner = "reloads";
        target.served ??= served;
        target.publish(acceptedLook(last, "the newest content"));
        target.run(20 * 60_000);
        expect(judgeReadiness(target.state, target.policy, "served", target.at).state).toBe("in-sync");
        expect(target.served.fingerprint).toBe(last.fingerprint);
        expect(target.pendingReloads).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it("asks for nothing any more once it was told to stop", () => {
    fc.assert(
      fc.property(story, fc.array(act, { maxLength: 40 }), ({ policy: told, first, served, acts }, after) => {
        const target = new SimulatedTarget(told, first, served);
        for (const next of acts) next(target);
        target.stop();
        const stopped = target.state;
        const reloads = target.reloads.length;
        for (const next of after) next(target);
        expect(target.state).toBe(stopped);
        expect(target.reloads.length).toBe(reloads);
        expect(target.wakeMs).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});
