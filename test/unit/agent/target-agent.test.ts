import { describe, expect, it } from "vitest";
import { createTargetAgent, type TargetAgent, type TargetPorts } from "../../../src/agent/target-agent.ts";
import type { Announcement } from "../../../src/core/announcement.ts";
import type { CertificateFacts } from "../../../src/core/certificate-facts.ts";
import { acceptedLook, factsOf, policyOf, servedResult, startMs } from "../../support/facts.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";

const first = factsOf("first");
const second = factsOf("second");

interface Rig {
  readonly clock: ManualClock;
  readonly agent: TargetAgent;
  readonly announced: Announcement[];
  readonly faults: string[];
  readonly calls: { looks: number; probes: number; reloads: number };
  /** What the volume holds and what the server serves. */
  volume: CertificateFacts;
  served: CertificateFacts;
}

/** A target agent with a server that takes every reload. */
function createRig(more: Partial<TargetPorts> = {}): Rig {
  const clock = createManualClock(startMs);
  const rig: Omit<Rig, "agent"> & { agent?: TargetAgent } = {
    clock,
    announced: [],
    faults: [],
    calls: { looks: 0, probes: 0, reloads: 0 },
    volume: first,
    served: first,
  };
  const agent = createTargetAgent(policyOf(), clock, {
    async look() {
      rig.calls.looks += 1;
      return acceptedLook(rig.volume);
    },
    async probe() {
      rig.calls.probes += 1;
      return [servedResult(rig.served)];
    },
    async reload() {
      rig.calls.reloads += 1;
      rig.served = rig.volume;
      return { kind: "accepted", detail: "sent SIGHUP" };
    },
    exit: () => undefined,
    announce: (announcement) => void rig.announced.push(announcement),
    fault: (during) => void rig.faults.push(during),
    ...more,
  });
  return Object.assign(rig, { agent });
}

/** Lets a second pass, again and again, until the wanted pair is confirmed. */
async function untilConfirmed(rig: Rig, wanted: CertificateFacts): Promise<void> {
  await until(
    () => {
      rig.clock.pass(1_000);
      return rig.agent.state().wanted;
    },
    (state) => state?.isConfirmed === true && state.certificate.fingerprint === wanted.fingerprint,
  );
}

describe("a target at work", () => {
  it("brings a new pair to the wire", async () => {
    const rig = createRig();
    rig.agent.start();
    await untilConfirmed(rig, first);
    rig.volume = second;
    rig.agent.requestLook();
    await untilConfirmed(rig, second);
    expect(rig.calls.reloads).toBe(1);
    expect(rig.faults).toEqual([]);
  });

  it("looks once more, and only once, however often that is asked for during a look", async () => {
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof acceptedLook>>();
    let looks = 0;
    const rig = createRig({
      look() {
        looks += 1;
        return looks === 1 ? promise : Promise.resolve(acceptedLook(first));
      },
    });
    rig.agent.start();
    for (let count = 0; count < 10; count++) rig.agent.requestLook();
    resolve(acceptedLook(first));
    await untilConfirmed(rig, first);
    expect(looks).toBe(2);
  });

  it.each(["look", "probe", "reload"] as const)("survives a fault during a %s", async (port) => {
    let isFirst = true;
    const faulty = createRig({
      [port]: async () => {
        if (!isFirst) return original(faulty, port);
        isFirst = false;
        throw new Error("a fault on purpose");
      },
    });
    faulty.served = first;
    faulty.volume = second;
    faulty.agent.start();
    if (port === "look")
      await until(
        () => faulty.faults.length,
        (count) => count === 1,
      );
    faulty.agent.requestLook();
    await untilConfirmed(faulty, second);
    expect(faulty.faults).toEqual([port]);
  });

  it("does nothing any more after it was stopped, and leaves no timer", async () => {
    const rig = createRig();
    rig.agent.start();
    await untilConfirmed(rig, first);
    rig.agent.stop();
    const { looks, probes } = rig.calls;
    rig.clock.pass(3_600_000);
    expect(rig.clock.pending()).toBe(0);
    expect(rig.calls).toMatchObject({ looks, probes, reloads: 0 });
  });
});

async function original(rig: Rig, port: "look" | "probe" | "reload"): Promise<unknown> {
  switch (port) {
    case "look":
      return acceptedLook(rig.volume);
    case "probe":
      return [servedResult(rig.served)];
    case "reload":
      rig.served = rig.volume;
      return { kind: "accepted", detail: "sent SIGHUP" };
  }
}
