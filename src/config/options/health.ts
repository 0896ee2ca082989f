import { type Option, single } from "../option.ts";
import { parseDurationFrom, parseSwitch } from "../parsers.ts";
import { config, listenAddress } from "./agent.ts";

const group = "Health";

export const live: Option<boolean> = single(
  { key: "live", placeholder: "", group, fallback: "false", description: "ask /livez instead of /readyz" },
  parseSwitch,
);
export const healthTimeout: Option<number> = single(
  { key: "healthTimeout", placeholder: "TIME", group, fallback: "2s", description: "time limit of the question" },
  parseDurationFrom(10),
);

/** Every option of `certhup health`, in the order of the help. */
export const healthOptions: readonly Option<unknown>[] = [live, healthTimeout, listenAddress, config];
