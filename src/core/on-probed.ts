import type { Instant } from "../system/clock.ts";
import { backOff } from "./laddering.ts";
import type { Policy } from "./policy.ts";
import type { HandshakeReport, ProbeResult } from "./probe-result.ts";
import { scheduleProbe } from "./probing.ts";
import { beginRotation, confirmRotation } from "./rotating.ts";
import type { EndpointState, TargetState } from "./state.ts";
import { announce, change, type Step } from "./step.ts";
import { findWorst, isWantedServedBy, judgeEndpoint } from "./verdict.ts";

/** A round of probes came back: count it, and decide what follows. */
export function onProbed(
  step: Step,
  round: number,
  results: readonly ProbeResult[],
  at: Instant,
  policy: Policy,
): Step {
  const { probe } = step.state;
  if (!probe.isInFlight || round !== probe.round) return step;
  const seen = takeResults(change(step, { probe: { ...probe, isInFlight: false } }), results, at);
  const decided = round < probe.countsFrom ? seen : decide(seen, at, policy);
  return decided.state.probe.isInFlight ? decided : scheduleProbe(decided, at, policy);
}

function takeResults(step: Step, results: readonly ProbeResult[], at: Instant): Step {
  const before = step.state;
  const endpoints = before.endpoints.map((endpoint, position) => {
    const result = results[position];
    return result === undefined ? endpoint : toEndpointState(endpoint.endpoint, result, at);
  });
  let taken = change(step, { endpoints });
  for (const [position, endpoint] of endpoints.entries()) {
    const previousEndpoint = before.endpoints[position];
    const result = results[position];
    const verdict = judgeEndpoint(endpoint, taken.state, at.wallMs);
    if (previousEndpoint === undefined || result === undefined || verdict === undefined) continue;
    taken = announce(taken, { event: "endpoint-probed", endpoint: endpoint.endpoint, verdict, result });
    const previous = judgeEndpoint(previousEndpoint, taken.state, at.wallMs);
    if (verdict !== previous || reasonOf(endpoint) !== reasonOf(previousEndpoint)) {
      const worst = endpoint.kind === "served" ? findWorst(endpoint, taken.state, at.wallMs) : undefined;
      const certificate = worst?.certificate;
      taken = announce(taken, { event: "verdict-changed", endpoint, certificate, verdict, previous });
    }
  }
  return taken;
}

function toEndpointState(endpoint: string, result: ProbeResult, at: Instant): EndpointState {
  if (result.kind === "served") {
    const { certificate, alsoServed = [], protocol, trust, coversName, chainProblems, ocspStaple } = result;
    const report: HandshakeReport = {
      ...(trust === undefined ? {} : { trust }),
      ...(coversName === undefined ? {} : { coversName }),
      ...(chainProblems === undefined ? {} : { chainProblems }),
      ...(ocspStaple === undefined ? {} : { ocspStaple }),
    };
    return { kind: "served", endpoint, certificate, alsoServed, protocol, report, probedAt: at.wallMs };
  }
  return { kind: "unreachable", endpoint, reason: result.reason, detail: result.detail, probedAt: at.wallMs };
}

function reasonOf(endpoint: EndpointState): string | undefined {
  return endpoint.kind === "unreachable" ? endpoint.reason : undefined;
}

function decide(step: Step, at: Instant, policy: Policy): Step {
  switch (compareAll(step.state)) {
    case "all-wanted":
      return countConfirmation(step, at, policy);
    case "some-other":
      return countMismatch(step, at, policy);
    case "some-unreachable":
      return change(step, {
        confirmations: 0,
        mismatches: 0,
        unreachableSinceMs: step.state.unreachableSinceMs ?? at.monotonicMs,
      });
  }
}

/** A server that can't be reached proves nothing, one that shows another certificate proves that a reload is owed. */
function compareAll({ endpoints, wanted }: TargetState): "all-wanted" | "some-other" | "some-unreachable" {
  const served = endpoints.filter((endpoint) => endpoint.kind === "served");
  if (wanted !== undefined && served.some((endpoint) => !isWantedServedBy(endpoint, wanted))) return "some-other";
  return served.length < endpoints.length ? "some-unreachable" : "all-wanted";
}

function countConfirmation(step: Step, at: Instant, policy: Policy): Step {
  const { state } = step;
  const confirmations = Math.min(state.confirmations + 1, policy.confirm);
  const { rotation } = state;
  const counted = change(step, {
    confirmations,
    mismatches: 0,
    unreachableSinceMs: undefined,
    rotation: rotation && { ...rotation, firstServedAt: rotation.firstServedAt ?? at.wallMs },
  });
  const isProof = rotation === undefined || rotation.isVisible || state.work.kind === "verifying";
  const isOwed = state.volume.kind === "accepted" && state.work.kind !== "reloading";
  return isOwed && isProof && confirmations >= policy.confirm ? confirmRotation(counted, "confirmed", at) : counted;
}

/** One other answer restarts the count; only as many in a row as a confirmation takes are a reason for a reload. */
function countMismatch(step: Step, at: Instant, policy: Policy): Step {
  const { state } = step;
  const { volume, wanted, work } = state;
  if (volume.kind !== "accepted" || wanted === undefined) {
    return change(step, { confirmations: 0, unreachableSinceMs: undefined });
  }
  const counted = change(step, {
    confirmations: 0,
    mismatches: state.mismatches + 1,
    unreachableSinceMs: undefined,
    unservedSinceMs: state.unservedSinceMs ?? at.monotonicMs,
  });
  switch (work.kind) {
    case "idle":
      if (counted.state.mismatches < policy.confirm) return counted;
      return beginRotation(
        counted,
        { wanted, cause: wanted.isConfirmed ? "drift" : "start", isVisible: true, seen: at },
        at,
        policy,
      );
    case "verifying":
      if (at.monotonicMs < work.deadlineMs) return counted;
      return backOff(counted, work.current, { kind: "unserved" }, at, policy);
    case "reloading":
    case "backing-off":
      return counted;
  }
}
