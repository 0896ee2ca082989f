import type { CheckConfig, Config, HealthConfig } from "./config.ts";
import type { ConfigFile } from "./config-file.ts";
import type { Issue } from "./issue.ts";
import * as agent from "./options/agent.ts";
import * as check from "./options/check.ts";
import { everyOption } from "./options/every.ts";
import * as health from "./options/health.ts";
import { endpoint } from "./options/proof.ts";
import { targetOptions, topOptions } from "./options/run.ts";
import { watchInterval } from "./options/volume.ts";
import { readServing, readTarget } from "./read-target.ts";
import {
  createOptionReader,
  type Environment,
  findUnknownVariables,
  isGivenOutside,
  type OptionReader,
  type Sources,
} from "./sources.ts";

/** A configuration that can be used, or everything that is wrong with it. */
export type ReadConfig<Value> =
  | { readonly kind: "config"; readonly config: Value }
  | { readonly kind: "issues"; readonly issues: readonly Issue[] };

/**
 * Reads what `certhup run` needs: flags before environment before file before defaults. Every issue is told at once.
 *
 * @param hostName what replicas take their turn by where no pod name is given
 */
export async function readRunConfig(sources: Sources, hostName: string): Promise<ReadConfig<Config>> {
  const { top, targets, issues } = await readSources(sources);
  const podName = top.read(agent.podName) ?? hostName;
  const config: Config = {
    targets: targets.map((reader) => readTarget(reader, podName)),
    watchIntervalMs: top.read(watchInterval) ?? 0,
    listenAddress: top.read(agent.listenAddress) ?? { host: undefined, port: 0 },
    log: { format: top.read(agent.logFormat) ?? "json", level: top.read(agent.logLevel) ?? "info" },
  };
  issues.push(...findRepeatedNames(config.targets.map(({ name }) => name)));
  return concludeConfig(config, issues, sources.environment);
}

/** Reads what `certhup check` needs. */
export async function readCheckConfig(sources: Sources): Promise<ReadConfig<CheckConfig>> {
  const { top, targets, issues } = await readSources(sources);
  const serving = targets.map(readServing);
  issues.push(...findRepeatedNames(serving.map(({ name }) => name)));
  if (issues.length === 0 && serving.every(({ endpoints }) => endpoints.length === 0)) {
    const hint = "name at least one: --endpoint 127.0.0.1:8443";
    issues.push({ path: top.pathOf(endpoint), message: "there is no endpoint to check", hint });
  }
  return concludeConfig({ targets: serving, output: top.read(check.output) ?? "table" }, issues, sources.environment);
}

/** Reads what `certhup health` needs. */
export async function readHealthConfig(sources: Sources): Promise<ReadConfig<HealthConfig>> {
  const { top, issues } = await readSources(sources);
  const config: HealthConfig = {
    address: top.read(agent.listenAddress) ?? { host: undefined, port: 0 },
    path: top.read(health.live) === true ? "/livez" : "/readyz",
    timeoutMs: top.read(health.healthTimeout) ?? 0,
  };
  return concludeConfig(config, issues, sources.environment);
}

interface Readers {
  readonly top: OptionReader;
  readonly targets: readonly OptionReader[];
  /** What all of them have found, and where more is added. */
  readonly issues: Issue[];
}

/** Readers over the flags, the environment and, where one is named, the configuration file. */
async function readSources({ flags, environment }: Sources): Promise<Readers> {
  const issues: Issue[] = [];
  const plain = createOptionReader({ flags, environment }, issues);
  const path = plain.read(agent.config);
  if (path === undefined) return { top: plain, targets: [plain], issues };
  // The YAML parser is loaded only where there is a file to read.
  const { readConfigFile } = await import("./config-file.ts");
  const { file, issues: faults } = await readConfigFile(path, { top: topOptions, target: targetOptions });
  issues.push(...faults);
  if (file === undefined) return { top: plain, targets: [], issues };
  issues.push(...findMisplaced(file, { flags, environment }));
  const isSingle = file.targets.length === 1;
  const targets = file.targets.map((section) =>
    createOptionReader(isSingle ? { flags, environment, section } : { flags: {}, environment: {}, section }, issues),
  );
  return { top: createOptionReader({ flags, environment, section: file.top }, issues), targets, issues };
}

/** A flag or variable of a target says nothing where the file has several: which one would be meant? */
function findMisplaced({ targets }: ConfigFile, sources: Sources): readonly Issue[] {
  if (targets.length === 1) return [];
  return targetOptions
    .filter((option) => isGivenOutside(option, sources))
    .map((option) => ({
      path: createOptionReader(sources).pathOf(option),
      message: `is for one target, but the file has ${targets.length}`,
      hint: `write ${option.key} into the targets of the file`,
    }));
}

function findRepeatedNames(names: readonly string[]): readonly Issue[] {
  const repeated = new Set(names.filter((name, position) => names.indexOf(name) !== position));
  return [...repeated].map((name) => ({
    path: "targets",
    message: `"${name}" is the name of several targets`,
    hint: "give each target a name of its own",
  }));
}

/** The configuration, unless something is wrong with it or with the environment. */
export function concludeConfig<Value>(
  config: Value,
  found: readonly Issue[],
  environment: Environment,
): ReadConfig<Value> {
  const issues = [...found, ...findUnknownVariables(environment, everyOption)];
  return issues.length > 0 ? { kind: "issues", issues } : { kind: "config", config };
}
