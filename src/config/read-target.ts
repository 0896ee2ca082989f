import { createHash } from "node:crypto";
import type { Policy } from "../core/policy.ts";
import type { KeypairPolicy } from "../keypair/keypair-policy.ts";
import type { Endpoint } from "../probe/endpoint.ts";
import type { VolumeRequest } from "../volume/volume-request.ts";
import type { ReloadConfig, RungConfig, ServingConfig, TargetConfig } from "./config.ts";
import { name } from "./options/agent.ts";
import * as keypair from "./options/keypair.ts";
import * as proof from "./options/proof.ts";
import { targetOptions } from "./options/run.ts";
import * as volume from "./options/volume.ts";
import { readProbeLimits } from "./read-probe-limits.ts";
import { readReload } from "./read-reload.ts";
import type { OptionReader } from "./sources.ts";

/** Reads one target; what is wrong stays with the reader. */
export function readTarget(reader: OptionReader, podName: string): TargetConfig {
  const serving = readServing(reader);
  const reload = serving.volume === undefined ? noReload : readReload(reader);
  const policy = readPolicy(reader, serving, reload, podName);
  // What is wrong is told even of settings that this target doesn't use.
  for (const option of targetOptions) reader.read(option);
  return { ...serving, reload, policy, readyPolicy: reader.read(proof.readyPolicy) ?? "served" };
}

/** Reads where a target's certificate lies and where it is served. */
export function readServing(reader: OptionReader): ServingConfig {
  return {
    name: reader.read(name) ?? "",
    volume: readVolumeRequest(reader),
    isBundle: reader.read(volume.bundleFile) !== undefined,
    passphraseFile: reader.read(keypair.keyPassphraseFile),
    keypair: readRules(reader),
    endpoints: readEndpoints(reader),
    probeLimits: readProbeLimits(reader),
  };
}

/** A target without a volume is a mistake unless it is said to be meant. */
function readVolumeRequest(reader: OptionReader): VolumeRequest | undefined {
  if (reader.read(proof.watchOnly) === true) {
    if (reader.read(volume.certDir) === undefined) return undefined;
    const hint = "leave out one of the two: with a volume the endpoints are looked at, too";
    reader.report({ path: reader.pathOf(proof.watchOnly), message: "is given beside a volume", hint });
  }
  const keyFile = reader.read(volume.keyFile);
  const bundleFile = reader.read(volume.bundleFile);
  return {
    directory:
      reader.require(
        volume.certDir,
        "name the directory of the Secret volume: --cert-dir /etc/tls, or say --watch-only",
      ) ?? "",
    certificateFile: bundleFile ?? reader.read(volume.certFile) ?? "",
    keyFile: bundleFile !== undefined || keyFile === "none" ? undefined : keyFile,
    caFile: reader.read(volume.caFile),
    maxFileSizeBytes: reader.read(volume.maxFileSize) ?? 0,
  };
}

const noReload: ReloadConfig = {
  ladder: [],
  attempts: 1,
  minIntervalMs: 0,
  spreadMs: 0,
  restartMinIntervalMs: 0,
  allowSubPath: false,
};

function readRules(reader: OptionReader): KeypairPolicy {
  return {
    minValidityMs: reader.read(keypair.minValidity) ?? 0,
    clockSkewMs: reader.read(keypair.clockSkew) ?? 0,
    requireNames: reader.read(keypair.requireName) ?? [],
    requireTrust: reader.read(keypair.requireTrust) ?? false,
    allowExpired: reader.read(keypair.allowExpired) ?? false,
    allowWeak: reader.read(keypair.allowWeak) ?? false,
  };
}

/** Proof is never lost by omission: that there is no endpoint must be said. */
function readEndpoints(reader: OptionReader): readonly Endpoint[] {
  const path = reader.pathOf(proof.endpoint);
  const hint = 'name where the certificate is served: --endpoint 127.0.0.1:8443, or "none" to go without proof';
  const choices = reader.require(proof.endpoint, hint) ?? [];
  const endpoints = choices.filter((choice) => choice !== "none");
  if (endpoints.length === 0 && choices.length > 0 && reader.read(proof.watchOnly) === true) {
    reader.report({ path, message: '"none" leaves nothing to watch', hint: "name the endpoints to look at" });
  }
  if (endpoints.length > 0 && endpoints.length < choices.length) {
    reader.report({ path, message: '"none" was given beside endpoints', hint: 'leave out "none", or the endpoints' });
  }
  const labels = endpoints.map(({ label }) => label);
  for (const label of new Set(labels.filter((candidate, position) => labels.indexOf(candidate) !== position))) {
    reader.report({ path, message: `${label} was given twice`, hint: "name each endpoint once" });
  }
  return endpoints;
}

function readPolicy(
  reader: OptionReader,
  { volume: request, endpoints }: ServingConfig,
  { ladder, attempts, minIntervalMs, spreadMs, restartMinIntervalMs }: ReloadConfig,
  podName: string,
): Policy {
  return {
    isWatchOnly: request === undefined,
    endpoints: endpoints.map(({ label }) => label),
    ladder: ladder.map((rung) => ({
      strategy: rung.name,
      attempts,
      ...(interrupts(rung) ? { spreadMs, leastRetryMs: restartMinIntervalMs } : { spreadMs: 0, leastRetryMs: 0 }),
    })),
    minIntervalMs,
    spreadShare: shareOf(podName),
    confirm: reader.read(proof.confirm) ?? 1,
    verifyTimeoutMs: reader.read(proof.verifyTimeout) ?? 0,
    verifyIntervalMs: reader.read(proof.verifyInterval) ?? 0,
    staleGraceMs: reader.read(proof.staleGrace) ?? 0,
    settleMs: reader.read(volume.delayInterval) ?? 0,
    writeGraceMs: reader.read(volume.writeGrace) ?? 0,
  };
}

function interrupts({ name: strategy }: RungConfig): boolean {
  return strategy === "restart" || strategy === "exit";
}

/** A share from 0 up to 1 that follows from the pod's name, the same after each start of the agent. */
function shareOf(podName: string): number {
  return createHash("sha256").update(podName).digest().readUInt32BE(0) / 2 ** 32;
}
