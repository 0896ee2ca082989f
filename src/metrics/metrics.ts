import type { Announcement } from "../core/announcement.ts";
import type { RotationOutcome, Verdict } from "../core/state.ts";
import { judgeEndpoint } from "../core/verdict.ts";
import { readinessStates } from "../status/readiness.ts";
import type { TargetView } from "../status/target-view.ts";
import type { Instant } from "../system/clock.ts";
import { type Catalogue, createCatalogue } from "./catalogue.ts";

/** What of a target the metrics need to know in advance, so that every counter exists at 0 from the start. */
export interface MeteredTarget {
  readonly name: string;
  readonly endpoints: readonly string[];
  /** One for each rung of the ladder. */
  readonly strategies: readonly string[];
}

/** What of the agent is counted and shown to Prometheus. */
export interface Metrics {
  /** Counts what the core announced. */
  count(target: MeteredTarget, announcement: Announcement): void;
  countWatchEvent(target: string): void;
  countWatchMiss(target: string): void;
  countLook(target: string, at: Instant): void;
  /** The text of the Prometheus exposition format, with the gauges as of now. */
  render(views: readonly TargetView[], at: Instant): Promise<string>;
  readonly contentType: string;
}

const rotationOutcomes: readonly RotationOutcome[] = ["confirmed", "unverified", "superseded", "refused"];
const reloadOutcomes = ["accepted", "refused", "timed-out"] as const;
const verdicts: readonly Verdict[] = ["match", "valid", "stale", "foreign", "expired", "unreachable"];

/**
 * Metrics in a registry of their own.
 *
 * @param refusalCodes the closed list of reasons for which a keypair can be refused
 */
export function createMetrics(
  targets: readonly MeteredTarget[],
  refusalCodes: readonly string[],
  build: { readonly version: string; readonly nodeVersion: string },
): Metrics {
  const catalogue = createCatalogue();
  catalogue.buildInfo.set({ version: build.version, node_version: build.nodeVersion }, 1);
  for (const target of targets) startAtZero(catalogue, target, refusalCodes);
  return {
    contentType: catalogue.registry.contentType,
    count: (target, announcement) => count(catalogue, target, announcement),
    countWatchEvent: (target) => catalogue.watchEvents.inc({ target }),
    countWatchMiss: (target) => catalogue.watchMissed.inc({ target }),
    countLook: (target, at) => catalogue.lastLook.set({ target }, at.wallMs / 1000),
    render(views, at) {
      catalogue.notAfter.reset();
      catalogue.certificateInfo.reset();
      catalogue.preflightFinding.reset();
      for (const view of views) setGauges(catalogue, view, at);
      return catalogue.registry.metrics();
    },
  };
}

function startAtZero(catalogue: Catalogue, target: MeteredTarget, refusalCodes: readonly string[]): void {
  const { name } = target;
  for (const outcome of rotationOutcomes) catalogue.rotations.inc({ target: name, outcome }, 0);
  for (const strategy of target.strategies) {
    for (const outcome of reloadOutcomes) catalogue.reloads.inc({ target: name, strategy, outcome }, 0);
  }
  catalogue.flipFlops.inc({ target: name }, 0);
  for (const reason of refusalCodes) catalogue.keypairRefused.inc({ target: name, reason }, 0);
  for (const endpoint of target.endpoints) {
    for (const verdict of verdicts) catalogue.probes.inc({ target: name, endpoint, verdict }, 0);
    catalogue.probeDuration.zero({ target: name, endpoint });
  }
  catalogue.rotationDuration.zero({ target: name });
  catalogue.watchEvents.inc({ target: name }, 0);
  catalogue.watchMissed.inc({ target: name }, 0);
}

function count(catalogue: Catalogue, target: MeteredTarget, announcement: Announcement): void {
  const { name } = target;
  switch (announcement.event) {
    case "keypair-refused":
      for (const { code, severity } of announcement.findings) {
        if (severity === "refuse") catalogue.keypairRefused.inc({ target: name, reason: code });
      }
      return;
    case "rotation-ended": {
      const { outcome, durationMs } = announcement.rotation;
      if (outcome !== undefined) catalogue.rotations.inc({ target: name, outcome });
      if (outcome === "confirmed") catalogue.rotationDuration.observe({ target: name }, (durationMs ?? 0) / 1000);
      return;
    }
    case "reload-settled":
      catalogue.reloads.inc({ target: name, strategy: announcement.strategy, outcome: announcement.outcome.kind });
      return;
    case "endpoint-probed": {
      const { endpoint, verdict, result } = announcement;
      catalogue.probes.inc({ target: name, endpoint, verdict });
      catalogue.probeDuration.observe({ target: name, endpoint }, result.durationMs / 1000);
      return;
    }
    case "flip-flop":
      catalogue.flipFlops.inc({ target: name });
      return;
    case "keypair-accepted":
    case "keypair-held":
    case "volume-missing":
    case "rotation-begun":
    case "reload-scheduled":
    case "verdict-changed":
    case "confirmed":
    case "turned-stale":
      return;
  }
}

function setGauges(catalogue: Catalogue, view: TargetView, at: Instant): void {
  const { name: target, state, readiness } = view;
  const { wanted, unservedSinceMs } = state;
  catalogue.ready.set({ target }, readiness.isReady ? 1 : 0);
  for (const state of readinessStates) catalogue.state.set({ target, state }, readiness.state === state ? 1 : 0);
  const staleSinceMs = unservedSinceMs === undefined ? 0 : at.wallMs - (at.monotonicMs - unservedSinceMs);
  catalogue.staleSince.set({ target }, staleSinceMs / 1000);
  if (wanted !== undefined) setCertificate(catalogue, { target, endpoint: "", source: "volume" }, wanted.certificate);
  for (const endpoint of state.endpoints) {
    const labels = { target, endpoint: endpoint.endpoint };
    if (endpoint.kind === "served") setCertificate(catalogue, { ...labels, source: "served" }, endpoint.certificate);
    if (view.policy.isWatchOnly) continue;
    const isMatch = judgeEndpoint(endpoint, state, at.wallMs) === "match";
    catalogue.servedMatchesVolume.set(labels, isMatch ? 1 : 0);
  }
  if (view.policy.isWatchOnly) return;
  catalogue.watchMode.set({ target, mode: "events" }, view.watchMode === "events" ? 1 : 0);
  catalogue.watchMode.set({ target, mode: "poll" }, view.watchMode === "poll" ? 1 : 0);
  const hasSubPath = view.preflight.some(({ code }) => code.startsWith("subpath-mount"));
  catalogue.subPathMount.set({ target }, hasSubPath ? 1 : 0);
  for (const { code } of view.preflight) catalogue.preflightFinding.set({ target, code }, 1);
}

function setCertificate(
  catalogue: Catalogue,
  labels: { target: string; endpoint: string; source: "volume" | "served" },
  certificate: { readonly notAfter: number; readonly fingerprint: string; readonly serialNumber: string },
): void {
  catalogue.notAfter.set(labels, certificate.notAfter / 1000);
  catalogue.certificateInfo.set(
    { ...labels, fingerprint_sha256: certificate.fingerprint, serial: certificate.serialNumber },
    1,
  );
}
