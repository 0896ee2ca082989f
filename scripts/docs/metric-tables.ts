import { createCatalogue } from "../../src/metrics/catalogue.ts";
import { code, table } from "./markdown.ts";

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** Every metric of the catalogue, in its order. */
export function listMetrics(): readonly Metric[] {
  // The types of prom-client leave out what each of its metrics has.
  return createCatalogue().registry.getMetricsAsArray() as unknown as readonly Metric[];
}

export function renderMetrics(): string {
  const rows = listMetrics().map(({ name, type, labelNames, help }) => [
    code(name),
    type,
    labelNames.map(code).join(", "),
    help,
  ]);
  return table(["metric", "type", "labels", "meaning"], rows);
}
