import { isStrategyName, type StrategyName, strategyNames } from "../../reload/strategy-name.ts";
import { type Option, type Parsed, single } from "../option.ts";
import { parseCount, parseDuration, parseDurationFrom, parseSwitch } from "../parsers.ts";

const group = "Reload";

export const ladder: Option<readonly StrategyName[]> = single(
  {
    key: "reload",
    placeholder: "WAY",
    group,
    fallback: "signal",
    fromArray: (names) => names.join(","),
    description: `how the server is told: ${strategyNames.join(", ")}; several, the gentlest first, make a ladder: signal,restart`,
  },
  toLadder,
);
export const reloadAttempts: Option<number> = single(
  {
    key: "reloadAttempts",
    placeholder: "COUNT",
    group,
    fallback: "3",
    description: "tries of one way before the next one of the ladder",
  },
  parseCount(1, 1_000),
);
export const reloadTimeout: Option<number> = single(
  { key: "reloadTimeout", placeholder: "TIME", group, fallback: "10s", description: "time limit of one reload" },
  parseDurationFrom(10),
);
export const minInterval: Option<number> = single(
  {
    key: "minInterval",
    placeholder: "TIME",
    group,
    fallback: "2s",
    description: "least time between two reloads; what comes faster collapses to the newest content",
  },
  parseDuration,
);
export const jitter: Option<number> = single(
  {
    key: "jitter",
    placeholder: "TIME",
    group,
    fallback: "5m",
    description: "replicas spread restarts over this time, by the pod's name",
  },
  parseDuration,
);
export const restartMinInterval: Option<number> = single(
  {
    key: "restartMinInterval",
    placeholder: "TIME",
    group,
    fallback: "15m",
    description:
      "a server that runs for less than this is not restarted; with exit, the agent doesn't end itself before",
  },
  parseDuration,
);
export const restartGrace: Option<number> = single(
  {
    key: "restartGrace",
    placeholder: "TIME",
    group,
    fallback: "30s",
    description: "how long a restarted server may take to end",
  },
  parseDurationFrom(10),
);
export const restartKill: Option<boolean> = single(
  {
    key: "restartKill",
    placeholder: "",
    group,
    fallback: "false",
    description: "end it by SIGKILL when the grace is over",
  },
  parseSwitch,
);
export const restartOnSubpath: Option<boolean> = single(
  {
    key: "restartOnSubpath",
    placeholder: "",
    group,
    fallback: "false",
    description: "restart even where a subPath mount may keep the container from starting again",
  },
  parseSwitch,
);
export const exitStatusOption: Option<number> = single(
  {
    key: "exitStatus",
    placeholder: "STATUS",
    group,
    fallback: "85",
    description: 'status that the agent ends with under "exit", for the pod\'s restart rule',
  },
  parseCount(1, 255),
);

/** The options of this group, in the order of the help. */
export const reloadOptions: readonly Option<unknown>[] = [
  ladder,
  reloadAttempts,
  reloadTimeout,
  minInterval,
  jitter,
  restartMinInterval,
  restartGrace,
  restartKill,
  restartOnSubpath,
  exitStatusOption,
];

function toLadder(text: string): Parsed<readonly StrategyName[]> {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !isStrategyName(name));
  if (unknown !== undefined) {
    const hint = `choose from ${strategyNames.join(", ")}`;
    return { kind: "issue", message: `"${unknown}" is no way to tell a server`, hint };
  }
  const known = names.filter(isStrategyName);
  if (new Set(known).size < known.length) {
    return { kind: "issue", message: `"${text}" has the same way twice`, hint: "name each way once" };
  }
  if (known.includes("none") && known.length > 1) {
    return { kind: "issue", message: `"${text}" has none beside other ways`, hint: "leave out none, or the others" };
  }
  return { kind: "value", value: known };
}
