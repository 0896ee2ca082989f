import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { renderSchemes } from "./endpoint-table.ts";
import { renderFindings } from "./finding-tables.ts";
import { block } from "./markdown.ts";
import { renderMetrics } from "./metric-tables.ts";
import { renderOptions } from "./option-tables.ts";
import { renderReadiness } from "./readiness-table.ts";
import { refusalMeanings, unreachableMeanings } from "./reason-tables.ts";
import { renderStrategies } from "./strategy-table.ts";
import {
  agentEventMeanings,
  causeMeanings,
  eventMeanings,
  renderExitStatuses,
  renderWords,
  rotationOutcomeMeanings,
  verdictMeanings,
  workMeanings,
} from "./word-tables.ts";
import { renderWorksWith } from "./works-with-table.ts";

const root = join(import.meta.dirname, "..", "..");

/** The generated parts of the documents, by the name in their marks. */
export const sections: Readonly<Record<string, () => string | Promise<string>>> = {
  options: renderOptions,
  metrics: renderMetrics,
  readiness: renderReadiness,
  schemes: renderSchemes,
  "exit-statuses": renderExitStatuses,
  "keypair-findings": () => renderFindings("keypair"),
  "volume-findings": () => renderFindings("volume"),
  "process-findings": () => renderFindings("process"),
  "reload-findings": () => renderFindings("reload"),
  verdicts: () => renderWords("verdict", verdictMeanings),
  "unreachable-reasons": () => renderWords("reason", unreachableMeanings),
  "refusal-reasons": () => renderWords("reason", refusalMeanings),
  causes: () => renderWords("cause", causeMeanings),
  "rotation-outcomes": () => renderWords("outcome", rotationOutcomeMeanings),
  work: () => renderWords("work", workMeanings),
  "target-events": () => renderWords("event", eventMeanings),
  "agent-events": () => renderWords("event", agentEventMeanings),
  strategies: renderStrategies,
  "works-with": renderWorksWith,
  deployment: () => embed("yaml", "examples", "nginx", "deployment.yaml"),
  "alert-rules": () => embed("yaml", "docs", "alert-rules.yaml"),
};

async function embed(language: string, ...path: readonly string[]): Promise<string> {
  return block(language, await readFile(join(root, ...path), "utf8"));
}
