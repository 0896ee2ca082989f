import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Every metric of the agent, in one registry of its own. Names and labels are stable under SemVer. */
export interface Catalogue {
  readonly registry: Registry;
  readonly notAfter: Gauge<"target" | "endpoint" | "source">;
  readonly certificateInfo: Gauge<"target" | "endpoint" | "source" | "fingerprint_sha256" | "serial">;
  readonly servedMatchesVolume: Gauge<"target" | "endpoint">;
  readonly staleSince: Gauge<"target">;
  readonly ready: Gauge<"target">;
  readonly state: Gauge<"target" | "state">;
  readonly rotations: Counter<"target" | "outcome">;
  readonly rotationDuration: Histogram<"target">;
  readonly reloads: Counter<"target" | "strategy" | "outcome">;
  readonly flipFlops: Counter<"target">;
  readonly keypairRefused: Counter<"target" | "reason">;
  readonly probes: Counter<"target" | "endpoint" | "verdict">;
  readonly probeDuration: Histogram<"target" | "endpoint">;
  readonly watchMode: Gauge<"target" | "mode">;
  readonly watchEvents: Counter<"target">;
  readonly watchMissed: Counter<"target">;
  readonly lastLook: Gauge<"target">;
  readonly subPathMount: Gauge<"target">;
  readonly preflightFinding: Gauge<"target" | "code">;
  readonly buildInfo: Gauge<"version" | "node_version">;
}

/** A catalogue without samples, in a new registry. */
export function createCatalogue(): Catalogue {
  const registry = new Registry();
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> =>
    new Gauge({ name: `certhup_${name}`, help, labelNames, registers: [registry] });
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> =>
    new Counter({ name: `certhup_${name}`, help, labelNames, registers: [registry] });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ): Histogram<Label> => new Histogram({ name: `certhup_${name}`, help, labelNames, buckets, registers: [registry] });

  return {
    registry,
    notAfter: gauge(
      "certificate_not_after_timestamp_seconds",
      "End of the leaf, by where it was seen: in the volume or served",
      "target",
      "endpoint",
      "source",
    ),
    certificateInfo: gauge(
      "certificate_info",
      "The leaf, by where it was seen: in the volume or served; always 1",
      "target",
      "endpoint",
      "source",
      "fingerprint_sha256",
      "serial",
    ),
    servedMatchesVolume: gauge(
      "served_matches_volume",
      "1 if the last handshake showed the certificate in the volume, 0 if not",
      "target",
      "endpoint",
    ),
    staleSince: gauge(
      "stale_since_timestamp_seconds",
      "Since when something else than the wanted certificate is served, 0 if nothing is owed",
      "target",
    ),
    ready: gauge("ready", "1 if the target may get traffic, 0 if not", "target"),
    state: gauge("state", "1 for the state that the target is in, 0 for the others", "target", "state"),
    rotations: counter("rotations_total", "Rotations that ended, by outcome", "target", "outcome"),
    rotationDuration: histogram(
      "rotation_duration_seconds",
      "From the swap of the volume to the confirmation by handshake",
      [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900],
      "target",
    ),
    reloads: counter("reloads_total", "Reloads, by how they ended", "target", "strategy", "outcome"),
    flipFlops: counter("flip_flops_total", "Times that two contents were found to take turns in the volume", "target"),
    keypairRefused: counter("keypair_refused_total", "Keypairs that were refused, by reason", "target", "reason"),
    probes: counter("probes_total", "Handshakes, by verdict", "target", "endpoint", "verdict"),
    probeDuration: histogram(
      "probe_duration_seconds",
      "Time that one handshake took, or took to fail",
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 3],
      "target",
      "endpoint",
    ),
    watchMode: gauge("watch_mode", "1 for the way in which changes of the volume are noticed", "target", "mode"),
    watchEvents: counter("watch_events_total", "Hints that the volume may have changed", "target"),
    watchMissed: counter("watch_missed_total", "Changes that the poll found and the watch had missed", "target"),
    lastLook: gauge("last_look_timestamp_seconds", "When the volume was last read", "target"),
    subPathMount: gauge(
      "subpath_mount",
      "1 if a mount of a single file was found, which never follows a renewal",
      "target",
    ),
    preflightFinding: gauge(
      "preflight_finding",
      "1 for each finding that stands in the way of the next rotation",
      "target",
      "code",
    ),
    buildInfo: gauge("build_info", "Version of the agent and of Node; always 1", "version", "node_version"),
  };
}
