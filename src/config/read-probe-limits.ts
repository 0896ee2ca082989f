import type { ProbeLimits } from "../probe/probe-limits.ts";
import { flagOf } from "./option.ts";
import { probeStepTimeout, probeTimeout } from "./options/proof.ts";
import type { OptionReader } from "./sources.ts";

/** A silent server is given up early enough to leave a slow one time for two steps. */
const usualShare = 0.6;

/** Reads how long a look at an endpoint may take, as a whole and in each step. */
export function readProbeLimits(reader: OptionReader): ProbeLimits {
  const wholeMs = reader.read(probeTimeout) ?? 0;
  const stepMs = reader.read(probeStepTimeout) ?? Math.ceil(wholeMs * usualShare);
  if (wholeMs > 0 && stepMs > wholeMs) {
    const message = `is longer than ${flagOf(probeTimeout)}, which holds for all steps together`;
    reader.report({ path: reader.pathOf(probeStepTimeout), message, hint: "give a longer --probe-timeout, too" });
  }
  return { wholeMs, stepMs };
}
