import { type Option, single } from "../option.ts";
import { type ListenAddress, parseChoice, parseListenAddress } from "../parsers.ts";

const group = "Agent";

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
export type LogFormat = "json" | "text";
export const logFormat: Option<LogFormat> = single(
  { key: "logFormat", placeholder: "FORMAT", group, fallback: "json", description: '"json", or "text" for people' },
  parseChoice(["json", "text"]),
);
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

/** The options of this group, in the order of the help. */
export const agentOptions: readonly Option<unknown>[] = [listenAddress, logFormat, logLevel];
