import { flagOf, type Option } from "../../src/config/option.ts";
import { checkOptions } from "../../src/config/options/check.ts";
import { healthOptions } from "../../src/config/options/health.ts";
import { probeOptions } from "../../src/config/options/probe.ts";
import { runOptions } from "../../src/config/options/run.ts";
import { code, table } from "./markdown.ts";

const commands: readonly { readonly name: string; readonly options: readonly Option<unknown>[] }[] = [
  { name: "run", options: runOptions },
  { name: "check", options: checkOptions },
  { name: "probe", options: probeOptions },
  { name: "health", options: healthOptions },
];

/** The options of all commands, in the order of their help; one that several commands share stands here once. */
const options: readonly Option<unknown>[] = [...new Set(commands.flatMap((command) => command.options))];

/** Every flag of every command, one table for each group of the help. */
export function renderOptions(): string {
  const groups = [...new Set(options.map(({ group }) => group))];
  return groups.map((group) => `**${group}**\n\n${renderGroup(group)}`).join("\n");
}

function renderGroup(group: string): string {
  const rows = options
    .filter((option) => option.group === group)
    .map((option) => [code(renderFlag(option)), renderFallback(option), option.description, renderCommands(option)]);
  return table(["flag", "default", "meaning", "of"], rows);
}

function renderFlag(option: Option<unknown>): string {
  return option.placeholder === "" ? flagOf(option) : `${flagOf(option)} ${option.placeholder}`;
}

function renderFallback({ fallback, placeholder }: Option<unknown>): string {
  if (placeholder === "") return "off";
  return fallback === undefined ? "" : code(fallback);
}

function renderCommands(option: Option<unknown>): string {
  return commands
    .filter((command) => command.options.includes(option))
    .map(({ name }) => code(name))
    .join(", ");
}

/** Every flag there is. */
export const knownFlags: ReadonlySet<string> = new Set(options.map(flagOf));
