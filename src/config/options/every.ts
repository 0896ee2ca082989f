import type { Option } from "../option.ts";
import { checkOptions } from "./check.ts";
import { healthOptions } from "./health.ts";
import { runOptions } from "./run.ts";

/** Every option of every command, each once. */
export const everyOption: readonly Option<unknown>[] = [...new Set([...runOptions, ...checkOptions, ...healthOptions])];
