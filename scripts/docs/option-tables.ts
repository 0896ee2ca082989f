import { flagOf, type Option } from "../../src/config/option.ts";
import { checkOptions } from "../../src/config/options/check.ts";
import { everyOption } from "../../src/config/options/every.ts";
import { healthOptions } from "../../src/config/options/health.ts";
import { runOptions } from "../../src/config/options/run.ts";
import { code, table } from "./markdown.ts";

const commands: readonly { readonly name: string; readonly options: readonly Option<unknown>[] }[] = [
  { name: "run", options: runOptions },
  { name: "check", options: checkOptions },
  { name: "health", options: healthOptions },
];

/** Every flag of every command, one table for each group of the help. */
export function renderOptions(): string {
  const groups = [...new Set(everyOption.map(({ group }) => group))];
  return groups.map((group) => `**${group}**\n\n${renderGroup(group)}`).join("\n");
}

function renderGroup(group: string): string {
  const rows = everyOption
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
    .filter(({ options }) => options.includes(option))
    .map(({ name }) => code(name))
    .join(", ");
}

/** Every flag there is. */
export const knownFlags: ReadonlySet<string> = new Set(everyOption.map(flagOf));
