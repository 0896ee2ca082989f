import { list, type Option, single } from "../option.ts";
import { parseChoice, parseCount, parseDuration, parseText } from "../parsers.ts";
import { probeStepTimeout, probeTimeout } from "./proof.ts";

const group = "Probe";

/** How `certhup probe` answers. */
export type ProbeOutput = "table" | "json" | "prometheus";

export const endpointFile: Option<readonly string[]> = list(
  {
    key: "file",
    placeholder: "PATH",
    group,
    description: "file with one endpoint a line (# begins a comment), a YAML list, or - for the input (repeatable)",
  },
  parseText,
);
export const warn: Option<number> = single(
  {
    key: "warn",
    placeholder: "TIME",
    group,
    fallback: "21d",
    description: "tell certificates that end within this time",
  },
  parseDuration,
);
export const critical: Option<number> = single(
  {
    key: "critical",
    placeholder: "TIME",
    group,
    fallback: "7d",
    description: "exit with 1 for certificates that end within this time",
  },
  parseDuration,
);
export const concurrency: Option<number> = single(
  { key: "concurrency", placeholder: "COUNT", group, fallback: "32", description: "handshakes at the same time" },
  parseCount(1, 1_000),
);
export const trustFile: Option<string> = single(
  {
    key: "trustFile",
    placeholder: "PATH",
    group,
    description: "CA certificates; paths that don't lead to them are told",
  },
  parseText,
);
export const probeOutput: Option<ProbeOutput> = single(
  {
    key: "output",
    placeholder: "FORMAT",
    group,
    fallback: "table",
    description: '"table" for people, "json", or "prometheus" for a textfile collector',
  },
  parseChoice(["table", "json", "prometheus"]),
);

/** Every option of `certhup probe`, in the order of the help. */
export const probeOptions: readonly Option<unknown>[] = [
  endpointFile,
  warn,
  critical,
  trustFile,
  concurrency,
  probeTimeout,
  probeStepTimeout,
  probeOutput,
];
