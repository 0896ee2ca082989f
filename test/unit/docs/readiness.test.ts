import { expect, test } from "vitest";
import { readinessRows } from "../../../scripts/docs/readiness-table.ts";
import type { EndpointState, TargetState } from "../../../src/core/state.ts";
import { begin } from "../../../src/core/transition.ts";
import { judgeReadiness, type ReadinessState } from "../../../src/status/readiness.ts";
import { acceptedLook, factsOf, missingLook, policyOf, refusedLook, startMs } from "../../support/facts.ts";

const policy = policyOf();
const nowMs = 1_000_000;
const at = { monotonicMs: nowMs, wallMs: startMs };
const ours = factsOf("ours");
const older = factsOf("older");
const foreign = factsOf("foreign", { names: ["elsewhere.example"], issuer: "CN=somebody" });
const ended = factsOf("ended", { notAfter: startMs - 1 });

function serving(certificate: typeof ours): readonly EndpointState[] {
  return policy.endpoints.map((endpoint) => ({
    kind: "served",
    endpoint,
    certificate,
    alsoServed: [],
    protocol: "TLSv1.3",
    report: {},
    probedAt: startMs,
  }));
}

/** A target whose volume holds `ours`, changed as told. */
function target(changes: Partial<TargetState>): TargetState {
  const volume = acceptedLook(ours);
  const wanted = { source: volume.source, certificate: ours, isConfirmed: false };
  return { ...begin(policy).state, volume, wanted, endpoints: serving(ours), ...changes };
}

const confirmed = { source: acceptedLook(ours).source, certificate: ours, isConfirmed: true };
const withinGraceMs = nowMs - policy.staleGraceMs + 1;
const beyondGraceMs = nowMs - policy.staleGraceMs;
const unreachable: readonly EndpointState[] = policy.endpoints.map((endpoint) => ({
  kind: "unreachable",
  endpoint,
  reason: "connection-refused",
  detail: "nothing listens there",
  probedAt: startMs,
}));

/** What each row of the table in README.md, "Readiness", describes. */
const examples: Readonly<Record<ReadinessState, TargetState>> = {
  "in-sync": target({ wanted: confirmed, confirmations: policy.confirm }),
  rotating: target({ endpoints: serving(older), unservedSinceMs: withinGraceMs }),
  refused: target({ volume: refusedLook(factsOf("bad")), wanted: confirmed }),
  waiting: target({ volume: missingLook(), wanted: undefined }),
  starting: target({ endpoints: begin(policy).state.endpoints }),
  stale: target({ endpoints: serving(older), unservedSinceMs: beyondGraceMs }),
  foreign: target({ endpoints: serving(foreign), unservedSinceMs: beyondGraceMs }),
  expired: target({ endpoints: serving(ended), unservedSinceMs: withinGraceMs }),
  unreachable: target({ endpoints: unreachable }),
  watching: target({ volume: { kind: "unread" }, wanted: undefined }),
};

test.each(Object.entries(readinessRows))("the readiness table is right about %s", (state, { isReady }) => {
  const isWatchOnly = state === "watching";
  const readiness = judgeReadiness(examples[state as ReadinessState], policyOf({ isWatchOnly }), "served", at);
  expect(readiness).toMatchObject({ state, isReady });
});

test("a foreign certificate counts as rotating within the stale grace", () => {
  const state = target({ endpoints: serving(foreign), unservedSinceMs: withinGraceMs });
  expect(judgeReadiness(state, policy, "served", at)).toMatchObject({ state: "rotating", isReady: true });
});

test("under the ready policy `serving` a stale target stays ready", () => {
  expect(judgeReadiness(examples.stale, policy, "serving", at)).toMatchObject({ state: "stale", isReady: true });
});
