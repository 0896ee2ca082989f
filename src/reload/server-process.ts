import type { Finding, Severity } from "../core/finding.ts";
import type { ReloadOutcome } from "../core/reload-outcome.ts";
import { findProcess, type ProcessSelector } from "../process/find-process.ts";
import { processFindingCodes } from "../process/finding-codes.ts";
import type { ProcessInfo } from "../process/process-info.ts";
import { reloadFindingCodes } from "./finding-codes.ts";

/** A refusal as strategies hand it on. */
export type Refusal = Extract<ReloadOutcome, { kind: "refused" }>;

/** Looks for the server anew: no pid is kept from one reload to the next. */
export async function findServer(
  selector: ProcessSelector,
  procRoot: string,
): Promise<{ readonly kind: "found"; readonly process: ProcessInfo } | Refusal> {
  const search = await findProcess(selector, { procRoot });
  switch (search.kind) {
    case "found":
      return search;
    case "none":
      return { kind: "refused", reason: search.reason, detail: search.detail, hint: search.hint };
    case "ambiguous":
      return { kind: "refused", reason: "ambiguous-process", detail: search.detail, hint: search.hint };
  }
}

/** The refusal as a finding of the same code. */
export function toFinding(refusal: Omit<Refusal, "kind">): Finding {
  const { reason: code, detail: message, hint } = refusal;
  const { severity } = findingCodes[code] ?? { severity: "refuse" as const };
  return { code, severity, message, ...(hint === undefined ? {} : { hint }) };
}

const findingCodes: Readonly<Record<string, { readonly severity: Severity }>> = {
  ...processFindingCodes,
  ...reloadFindingCodes,
};

/** The outcome of a reload that was called off before the server was touched. */
export function cancelled(): Refusal {
  return { kind: "refused", reason: "cancelled", detail: "called off before the server was told" };
}
