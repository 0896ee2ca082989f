import { parseSignal, type Signal } from "../../process/signals.ts";
import { type Option, type Parsed, single } from "../option.ts";
import { parseSwitch, parseText } from "../parsers.ts";

const group = "Process (signal, nginx, restart)";

export const processName: Option<string> = single(
  {
    key: "processName",
    placeholder: "NAME",
    group,
    description: "program name of the server; of several matches the topmost is meant",
  },
  parseText,
);
export const processMatch: Option<RegExp> = single(
  { key: "processMatch", placeholder: "REGEX", group, description: "regular expression over its command line" },
  toRegExp,
);
export const pidFile: Option<string> = single(
  { key: "pidFile", placeholder: "PATH", group, description: "file that holds the server's process id" },
  parseText,
);
export const signal: Option<Signal> = single(
  { key: "signal", placeholder: "NAME", group, fallback: "SIGHUP", description: "signal to send: SIGHUP, HUP or 1" },
  toSignal,
);
export const signalUnhandled: Option<boolean> = single(
  {
    key: "signalUnhandled",
    placeholder: "",
    group,
    fallback: "false",
    description: "send the signal even if the process has no handler for it, which usually ends the process",
  },
  parseSwitch,
);

/** The options of this group, in the order of the help. */
export const processOptions: readonly Option<unknown>[] = [processName, processMatch, pidFile, signal, signalUnhandled];

function toSignal(text: string): Parsed<Signal> {
  const parsed = parseSignal(text);
  return parsed.kind === "signal" ? { kind: "value", value: { name: parsed.name, number: parsed.number } } : parsed;
}

function toRegExp(text: string): Parsed<RegExp> {
  try {
    return { kind: "value", value: new RegExp(text, "u") };
  } catch {
    return { kind: "issue", message: `"${text}" is no regular expression`, hint: 'write it like "^java .*gateway"' };
  }
}
