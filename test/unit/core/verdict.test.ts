import { describe, expect, it } from "vitest";
import { isServedAs, judgeServed, renewalsAgo } from "../../../src/core/verdict.ts";
import { acceptedLook, factsOf, policyOf, startMs } from "../../support/facts.ts";
import { SimulatedTarget } from "../../support/simulated-target.ts";

const wanted = factsOf("wanted");
const earlier = factsOf("earlier", { names: ["old.example"], issuer: "CN=old authority" });

function judge(served: ReturnType<typeof factsOf>): string {
  return judgeServed(served, wanted, [earlier], startMs);
}

describe("a served certificate", () => {
  it("is a match if it is the one in the volume", () => {
    expect(judge(wanted)).toBe("match");
  });

  it("is stale if it was in the volume before", () => {
    expect(judge(earlier)).toBe("stale");
  });

  it("is stale if the same issuer made it for the same names, although nobody saw it in the volume", () => {
    expect(judge(factsOf("from before the agent started"))).toBe("stale");
  });

  it("is foreign if it has other names", () => {
    expect(judge(factsOf("other names", { names: ["mesh.example"] }))).toBe("foreign");
  });

  it("is foreign if another issuer made it for the same names", () => {
    expect(judge(factsOf("other issuer", { issuer: "CN=mesh" }))).toBe("foreign");
  });

  it("is expired first of all, even if it is the one in the volume", () => {
    expect(judgeServed(wanted, wanted, [], wanted.notAfter)).toBe("expired");
  });

  it("is stale with the right leaf and without the intermediate that the volume holds", () => {
    const withChain = factsOf("wanted", { chain: [wanted.fingerprint, "intermediate"] });
    expect(judgeServed(wanted, withChain, [], startMs)).toBe("stale");
  });
});

describe("a stale certificate", () => {
  it("is told by how many renewals ago it was the wanted one", () => {
    const { state } = new SimulatedTarget(policyOf(), acceptedLook(wanted), wanted);
    const withHistory = { ...state, earlier: [factsOf("one ago"), factsOf("two ago")] };
    expect(renewalsAgo(factsOf("two ago"), withHistory)).toBe(2);
    expect(renewalsAgo(factsOf("never seen"), withHistory)).toBeUndefined();
  });
});

describe("a chain", () => {
  it("may be longer than that of the file, as servers complete it from their trust store", () => {
    expect(isServedAs(wanted, factsOf("wanted", { chain: [wanted.fingerprint, "intermediate"] }))).toBe(true);
  });

  it("must have the intermediate of the file in its place", () => {
    const inFile = factsOf("wanted", { chain: [wanted.fingerprint, "new intermediate"] });
    const served = factsOf("wanted", { chain: [wanted.fingerprint, "old intermediate"] });
    expect(isServedAs(inFile, served)).toBe(false);
  });
});
