import { type Option, type Parsed, single } from "../option.ts";
import { type ListenAddress, parseChoice, parseListenAddress, parseText } from "../parsers.ts";

const group = "Agent";

export const config: Option<string> = single(
  {
    key: "config",
    placeholder: "PATH",
    group,
    description: "YAML file with several targets; its keys are the flags' names: certDir for --cert-dir",
  },
  parseText,
);
export const name: Option<string> = single(
  {
    key: "name",
    placeholder: "NAME",
    group,
    fallback: "default",
    description: "what the target is called in logs, metrics and status",
  },
  parseName,
);
export const listenAddress: Option<ListenAddress> = single(
  {
    key: "listenAddress",
    placeholder: "ADDRESS",
    group,
    fallback: ":10087",
    description: "where /readyz, /livez, /startupz, /metrics and /status are served",
  },
  parseListenAddress,
);
/** How the log is written: for programs, or for people. */
export type LogFormat = "json" | "text";
export const logFormat: Option<LogFormat> = single(
  { key: "logFormat", placeholder: "FORMAT", group, fallback: "json", description: '"json", or "text" for people' },
  parseChoice(["json", "text"]),
);
/** The least grave lines that the log still holds. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";
export const logLevel: Option<LogLevel> = single(
  {
    key: "logLevel",
    placeholder: "LEVEL",
    group,
    fallback: "info",
    description: "debug, info, warn, error or silent",
  },
  parseChoice(["debug", "info", "warn", "error", "silent"]),
);

export const podName: Option<string> = single(
  {
    key: "podName",
    placeholder: "NAME",
    group,
    description: "name of the pod, from which replicas take their turn (default: the host name)",
  },
  parseText,
);

/** What concerns the agent as a whole, in the order of the help; the other options belong to a target. */
export const agentOptions: readonly Option<unknown>[] = [listenAddress, logFormat, logLevel, podName];

function parseName(text: string): Parsed<string> {
  const isName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text.trim());
  const hint = "begin with a letter or digit; letters, digits, dots, dashes and underscores may follow, 63 in all";
  return isName ? { kind: "value", value: text.trim() } : { kind: "issue", message: `"${text}" is no name`, hint };
}
