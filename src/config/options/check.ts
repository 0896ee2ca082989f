import { type Option, single } from "../option.ts";
import { parseChoice } from "../parsers.ts";
import { config, name } from "./agent.ts";
import { keypairOptions } from "./keypair.ts";
import { endpoint, probeStepTimeout, probeTimeout } from "./proof.ts";
import { bundleFile, caFile, certDir, certFile, keyFile, maxFileSize } from "./volume.ts";

const group = "Output";

/** How `certhup check` answers. */
export type OutputFormat = "table" | "json";
export const output: Option<OutputFormat> = single(
  { key: "output", placeholder: "FORMAT", group, fallback: "table", description: '"table" for people, or "json"' },
  parseChoice(["table", "json"]),
);

/** Every option of `certhup check`, in the order of the help. */
export const checkOptions: readonly Option<unknown>[] = [
  certDir,
  certFile,
  keyFile,
  bundleFile,
  caFile,
  maxFileSize,
  ...keypairOptions,
  endpoint,
  probeTimeout,
  probeStepTimeout,
  name,
  config,
  output,
];
