import type { Option } from "../option.ts";
import { checkOptions } from "./check.ts";
import { healthOptions } from "./health.ts";
import { probeOptions } from "./probe.ts";
import { runOptions } from "./run.ts";

/** Every option of every command, each key once. */
export const everyOption: readonly Option<unknown>[] = [
  ...new Map(
    [...probeOptions, ...healthOptions, ...checkOptions, ...runOptions].map((option) => [option.key, option]),
  ).values(),
];
