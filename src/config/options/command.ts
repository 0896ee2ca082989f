import { type ArgumentList, parseArgumentList } from "../../reload/argument-list.ts";
import { type Option, type Parsed, single } from "../option.ts";

const group = "Command (exec, nginx)";

export const exec: Option<ArgumentList> = single(
  {
    key: "exec",
    placeholder: "COMMAND",
    group,
    fromArray: JSON.stringify,
    description: "command to run: words with quotes, or a JSON array; no shell",
  },
  toCommand,
);
export const test: Option<ArgumentList> = single(
  {
    key: "test",
    placeholder: "COMMAND",
    group,
    fromArray: JSON.stringify,
    description: 'test to pass before nginx is told, such as "nginx -t"',
  },
  toCommand,
);

/** The options of commands, in the order of the help. */
export const commandOptions: readonly Option<unknown>[] = [exec, test];

function toCommand(text: string): Parsed<ArgumentList> {
  const parsed = parseArgumentList(text);
  return parsed.kind === "arguments" ? { kind: "value", value: parsed.command } : parsed;
}
