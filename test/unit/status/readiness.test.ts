import { describe, expect, it } from "vitest";
import type { CertificateFacts } from "../../../src/core/certificate-facts.ts";
import type { VolumeLook } from "../../../src/core/volume-look.ts";
import { judgeReadiness, type Readiness } from "../../../src/status/readiness.ts";
import { acceptedLook, factsOf, missingLook, policyOf, refusedLook, startMs } from "../../support/facts.ts";
import { SimulatedTarget } from "../../support/simulated-target.ts";

const first = factsOf("first");
const second = factsOf("second");
const hourMs = 3_600_000;
const soonEnding = factsOf("soon ending", { notAfter: startMs + hourMs });
const foreign = factsOf("foreign", { names: ["mesh.example"], subject: "CN=mesh", issuer: "CN=mesh authority" });

interface Story {
  readonly volume: VolumeLook;
  readonly served: CertificateFacts | undefined;
  readonly laterVolume?: VolumeLook;
  readonly laterServed?: CertificateFacts;
  readonly afterMs: number;
  readonly policy?: Parameters<typeof policyOf>[0];
  readonly ready?: "served" | "serving";
}

/** Lets a server that ignores every reload go through a story, and says how ready it is in the end. */
function judge({ volume, served, laterVolume, laterServed, afterMs, policy, ready = "served" }: Story): Readiness {
  const target = new SimulatedTarget(policyOf(policy), volume, served);
  target.manner = "ignores";
  target.run(1_000);
  if (laterVolume !== undefined) target.publish(laterVolume);
  if (laterServed !== undefined) target.served = laterServed;
  target.run(afterMs);
  return judgeReadiness(target.state, target.policy, ready, target.at);
}

const inSync = { volume: acceptedLook(first), served: first };
const rotating = { ...inSync, laterVolume: acceptedLook(second) };

describe("the readiness table", () => {
  it.each<[string, Story, Pick<Readiness, "isReady" | "state">]>([
    ["no valid pair yet", { volume: missingLook(), served: first, afterMs: 0 }, { isReady: false, state: "waiting" }],
    ["valid and served", { ...inSync, afterMs: 0 }, { isReady: true, state: "in-sync" }],
    ["an older one of ours within the grace", { ...rotating, afterMs: 59_000 }, { isReady: true, state: "rotating" }],
    ["an older one of ours for longer", { ...rotating, afterMs: 61_000 }, { isReady: false, state: "stale" }],
    [
      "an older one of ours for longer, under --ready-policy=serving",
      { ...rotating, afterMs: 61_000, ready: "serving" },
      { isReady: true, state: "stale" },
    ],
    [
      "refused while something valid is served",
      { ...inSync, laterVolume: refusedLook(second), afterMs: 600_000 },
      { isReady: true, state: "refused" },
    ],
    [
      "refused from the start while something valid is served",
      { volume: refusedLook(second), served: first, afterMs: 600_000 },
      { isReady: true, state: "refused" },
    ],
    [
      "refused from the start where nothing can be probed",
      { volume: refusedLook(second), served: first, policy: { endpoints: [] }, afterMs: 0 },
      { isReady: false, state: "waiting" },
    ],
    [
      "gone while something valid is served",
      { ...inSync, laterVolume: missingLook(), afterMs: 600_000 },
      { isReady: true, state: "refused" },
    ],
    [
      "expired in the volume and on the wire",
      { volume: acceptedLook(soonEnding), served: soonEnding, afterMs: 2 * hourMs },
      { isReady: false, state: "expired" },
    ],
    [
      "an expired one served under --ready-policy=serving",
      { volume: acceptedLook(first), served: soonEnding, afterMs: 2 * hourMs, ready: "serving" },
      { isReady: false, state: "expired" },
    ],
    [
      "a foreign one within the grace",
      { ...inSync, laterServed: foreign, afterMs: 62_000 },
      { isReady: true, state: "rotating" },
    ],
    [
      "a foreign one for longer",
      { ...inSync, laterServed: foreign, afterMs: 130_000 },
      { isReady: false, state: "foreign" },
    ],
    [
      "unreachable",
      { volume: acceptedLook(first), served: undefined, afterMs: 0 },
      { isReady: false, state: "unreachable" },
    ],
  ])("%s", (_, story, expected) => {
    expect(judge(story)).toMatchObject(expected);
  });

  it("is starting before the first handshake", () => {
    const target = new SimulatedTarget(policyOf(), acceptedLook(first), first);
    target.answerLook();
    expect(judgeReadiness(target.state, target.policy, "served", target.at)).toMatchObject({ state: "starting" });
  });

  it("names the foreign certificate and its issuer", () => {
    const { reason } = judge({ ...inSync, laterServed: foreign, afterMs: 130_000 });
    expect(reason).toBe(
      "127.0.0.1:8443 serves a certificate that was never in the volume: CN=mesh, issued by CN=mesh authority",
    );
  });

  it("speaks of the certificate that is expired, if only one address of an endpoint serves such a one", () => {
    const target = new SimulatedTarget(policyOf(), acceptedLook(first), first);
    target.run(1_000);
    const [endpoint] = target.state.endpoints;
    if (endpoint?.kind !== "served") throw new Error("the endpoint serves nothing");
    const state = { ...target.state, endpoints: [{ ...endpoint, alsoServed: [soonEnding] }] };
    const at = { monotonicMs: target.at.monotonicMs, wallMs: soonEnding.notAfter };
    expect(judgeReadiness(state, target.policy, "served", at).reason).toBe(
      "127.0.0.1:8443 serves a certificate that ended 2026-11-30T10:10:00Z",
    );
  });

  it("calls a foreign certificate foreign within the grace, too", () => {
    expect(judge({ ...inSync, laterServed: foreign, afterMs: 62_000 }).reason).toContain("was never in the volume");
  });

  it("says what a refused reload was refused for", () => {
    const target = new SimulatedTarget(policyOf(), acceptedLook(first), first);
    target.run(1_000);
    target.manner = "fails-to-be-told";
    target.publish(acceptedLook(second));
    target.run(61_000);
    expect(judgeReadiness(target.state, target.policy, "served", target.at).reason).toContain(
      "reload refused: no process is called nginx",
    );
  });

  it("rests on the reload's word without an endpoint", () => {
    expect(judge({ ...inSync, policy: { endpoints: [] }, afterMs: 0 })).toEqual({
      isReady: true,
      state: "in-sync",
      reason: "the certificate in the volume is not verified, as no endpoint is probed, 89d left",
    });
  });
});
