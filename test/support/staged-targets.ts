import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { RunningAgent } from "./agent.ts";
import { type Stage, startStagedAgent } from "./stage.ts";
import { until } from "./until.ts";

/** One entry under `targets:`, by the keys of the configuration file. */
export type TargetSettings = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** What a target is named, and how it differs from the stage's usual one. */
export interface StagedTarget extends TargetSettings {
  readonly name: string;
}

/** A target for volume, server and endpoint of a stage, with short intervals; later settings win. */
export function targetOf(stage: Stage, settings: StagedTarget): TargetSettings {
  return { ...toSettings(stage.target), verifyInterval: "500ms", minInterval: "100ms", ...settings };
}

/** A configuration file with these targets; gone when the test ends. */
export async function writeConfigFile(targets: readonly TargetSettings[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "certhup-config-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, "config.yaml");
  // What is JSON is YAML.
  await writeFile(path, JSON.stringify({ targets }, undefined, 2));
  return path;
}

/** Starts one agent for all of these targets, verbose, with a short poll. */
export async function startAgentFor(
  targets: readonly TargetSettings[],
  flags: readonly string[] = [],
): Promise<RunningAgent> {
  const path = await writeConfigFile(targets);
  return startStagedAgent(["--config", path, "--watch-interval", "300ms", "--log-level", "debug", ...flags]);
}

/** Waits until `/readyz` gives this word, and such a reason, for the target, and returns its line. */
export async function untilTarget(
  agent: RunningAgent,
  name: string,
  state: string,
  reason: RegExp = /\w/,
): Promise<string> {
  const line = await until(
    async () => (await agent.ready()).text.split("\n").find((text) => text.startsWith(`${name}: `)),
    (text = "") => text.startsWith(`${name}: ${state}: `) && reason.test(text),
    { what: `the target ${name} to be ${state}, ${reason}` },
  );
  return line ?? "";
}

function toSettings(flags: readonly string[]): TargetSettings {
  const settings: Record<string, string> = {};
  for (let at = 0; at < flags.length; at += 2) {
    const key = (flags[at] ?? "").slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    settings[key] = flags[at + 1] ?? "";
  }
  return settings;
}
