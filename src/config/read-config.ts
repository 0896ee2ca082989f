import type { Endpoint } from "../probe/endpoint.ts";
import type { CheckConfig, Config, HealthConfig, ReloadConfig, ServingConfig, TargetConfig } from "./config.ts";
import type { Issue } from "./issue.ts";
import { flagOf, type Option } from "./option.ts";
import * as agent from "./options/agent.ts";
import * as check from "./options/check.ts";
import { everyOption } from "./options/every.ts";
import * as health from "./options/health.ts";
import * as keypair from "./options/keypair.ts";
import * as proof from "./options/proof.ts";
import * as reload from "./options/reload.ts";
import * as volume from "./options/volume.ts";
import {
  createOptionReader,
  type Environment,
  type FlagTexts,
  findUnknownVariables,
  type OptionReader,
} from "./sources.ts";

/** A configuration that can be used, or everything that is wrong with it. */
export type ReadConfig<Value> =
  | { readonly kind: "config"; readonly config: Value }
  | { readonly kind: "issues"; readonly issues: readonly Issue[] };

/** The largest file that is read from a volume; a chain of a hundred certificates takes a fifth of it. */
const maxFileSizeBytes = 1024 * 1024;

/** Reads what `certhup run` needs: flags before environment before defaults. Every issue is told at once. */
export function readRunConfig(flags: FlagTexts, environment: Environment): ReadConfig<Config> {
  const reader = createOptionReader(flags, environment);
  const target = readTarget(reader);
  const config: Config = {
    targets: [target],
    watchIntervalMs: reader.read(volume.watchInterval) ?? 0,
    listenAddress: reader.read(agent.listenAddress) ?? { host: undefined, port: 0 },
    log: { format: reader.read(agent.logFormat) ?? "json", level: reader.read(agent.logLevel) ?? "info" },
  };
  return conclude(config, reader, environment);
}

/** Reads what `certhup check` needs. */
export function readCheckConfig(flags: FlagTexts, environment: Environment): ReadConfig<CheckConfig> {
  const reader = createOptionReader(flags, environment);
  const serving = readServing(reader);
  if (serving.endpoints.length === 0 && reader.issues.length === 0) {
    reader.report({
      path: reader.pathOf(proof.endpoint),
      message: "there is no endpoint to check",
      hint: "name at least one: --endpoint 127.0.0.1:8443",
    });
  }
  return conclude({ ...serving, output: reader.read(check.output) ?? "table" }, reader, environment);
}

/** Reads what `certhup health` needs. */
export function readHealthConfig(flags: FlagTexts, environment: Environment): ReadConfig<HealthConfig> {
  const reader = createOptionReader(flags, environment);
  const config: HealthConfig = {
    address: reader.read(agent.listenAddress) ?? { host: undefined, port: 0 },
    path: reader.read(health.live) === true ? "/livez" : "/readyz",
    timeoutMs: reader.read(health.healthTimeout) ?? 0,
  };
  return conclude(config, reader, environment);
}

function conclude<Value>(config: Value, reader: OptionReader, environment: Environment): ReadConfig<Value> {
  const issues = [...reader.issues, ...findUnknownVariables(environment, everyOption)];
  return issues.length > 0 ? { kind: "issues", issues } : { kind: "config", config };
}

function readTarget(reader: OptionReader): TargetConfig {
  const serving = readServing(reader);
  const reloadConfig = readReload(reader);
  return {
    ...serving,
    name: "default",
    reload: reloadConfig,
    readyPolicy: reader.read(proof.readyPolicy) ?? "served",
    policy: {
      endpoints: serving.endpoints.map(({ label }) => label),
      hasReload: reloadConfig.strategy !== "none",
      confirm: reader.read(proof.confirm) ?? 1,
      verifyTimeoutMs: reader.read(proof.verifyTimeout) ?? 0,
      verifyIntervalMs: reader.read(proof.verifyInterval) ?? 0,
      staleGraceMs: reader.read(proof.staleGrace) ?? 0,
      settleMs: reader.read(volume.delayInterval) ?? 0,
      writeGraceMs: reader.read(volume.writeGrace) ?? 0,
    },
  };
}

function readServing(reader: OptionReader): ServingConfig {
  const keyFile = reader.read(volume.keyFile);
  return {
    volume: {
      directory: require(reader, volume.certDir, "name the directory of the Secret volume: --cert-dir /etc/tls"),
      certificateFile: reader.read(volume.certFile) ?? "",
      keyFile: keyFile === "none" ? undefined : keyFile,
      caFile: reader.read(volume.caFile),
      maxFileSizeBytes,
    },
    keypair: {
      minValidityMs: reader.read(keypair.minValidity) ?? 0,
      requireNames: reader.read(keypair.requireName) ?? [],
      allowExpired: reader.read(keypair.allowExpired) ?? false,
    },
    endpoints: readEndpoints(reader),
    probeTimeoutMs: reader.read(proof.probeTimeout) ?? 0,
  };
}

function require(reader: OptionReader, option: Option<string>, hint: string): string {
  const issuesBefore = reader.issues.length;
  const given = reader.read(option);
  if (given === undefined && reader.issues.length === issuesBefore) {
    reader.report({ path: flagOf(option), message: "is required", hint });
  }
  return given ?? "";
}

/** Proof is never lost by omission: no endpoint at all must be said. */
function readEndpoints(reader: OptionReader): readonly Endpoint[] {
  const issuesBefore = reader.issues.length;
  const choices = reader.read(proof.endpoint) ?? [];
  if (reader.issues.length > issuesBefore) return [];
  const path = reader.pathOf(proof.endpoint);
  if (choices.length === 0) {
    const hint = 'name where the certificate is served: --endpoint 127.0.0.1:8443, or "none" to go without proof';
    reader.report({ path, message: "is required", hint });
  }
  const endpoints = choices.filter((choice) => choice !== "none");
  if (endpoints.length > 0 && endpoints.length < choices.length) {
    reader.report({ path, message: '"none" was given beside endpoints', hint: 'leave out "none", or the endpoints' });
  }
  const labels = endpoints.map(({ label }) => label);
  for (const label of new Set(labels.filter((candidate, position) => labels.indexOf(candidate) !== position))) {
    reader.report({ path, message: `${label} was given twice`, hint: "name each endpoint once" });
  }
  return endpoints;
}

function readReload(reader: OptionReader): ReloadConfig {
  const strategy = reader.read(reload.reloadStrategy);
  const processName = reader.read(reload.processName);
  const pidFile = reader.read(reload.pidFile);
  const signal = reader.read(reload.signal) ?? { name: "SIGHUP", number: 1 };
  const allowUnhandled = reader.read(reload.signalUnhandled) ?? false;
  if (strategy !== "signal") return { strategy: "none" };
  if (processName === undefined && pidFile === undefined) {
    reader.report({
      path: flagOf(reload.processName),
      message: "is required to send a signal",
      hint: "name the server's program (--process-name nginx) or its pid file (--pid-file PATH), or use --reload none",
    });
  }
  const selector = {
    ...(pidFile === undefined ? {} : { pidFile }),
    ...(processName === undefined ? {} : { name: processName }),
  };
  return { strategy: "signal", selector, signal, allowUnhandled };
}
