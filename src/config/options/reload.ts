import { parseSignal, type Signal } from "../../process/signals.ts";
import { type Option, type Parsed, single } from "../option.ts";
import { parseChoice, parseSwitch, parseText } from "../parsers.ts";

const group = "Reload";

export type ReloadName = "signal" | "none";
export const reloadStrategy: Option<ReloadName> = single(
  {
    key: "reload",
    placeholder: "WAY",
    group,
    fallback: "signal",
    description: 'how the server is told: "signal", or "none" if it picks the pair up by itself',
  },
  parseChoice(["signal", "none"]),
);
export const processName: Option<string> = single(
  {
    key: "processName",
    placeholder: "NAME",
    group,
    description: "program name of the server; of several matches the topmost is signalled",
  },
  parseText,
);
export const pidFile: Option<string> = single(
  { key: "pidFile", placeholder: "PATH", group, description: "file that holds the server's process id" },
  parseText,
);
export const signal: Option<Signal> = single(
  {
    key: "signal",
    placeholder: "NAME",
    group,
    fallback: "SIGHUP",
    description: "signal to send: SIGHUP, HUP or 1",
  },
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
export const reloadOptions: readonly Option<unknown>[] = [
  reloadStrategy,
  processName,
  pidFile,
  signal,
  signalUnhandled,
];

function toSignal(text: string): Parsed<Signal> {
  const parsed = parseSignal(text);
  return parsed.kind === "signal" ? { kind: "value", value: { name: parsed.name, number: parsed.number } } : parsed;
}
