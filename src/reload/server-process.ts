import type { Finding, Severity } from "../core/finding.ts";
import type { ReloadOutcome } from "../core/reload-outcome.ts";
import { findProcess, type ProcessSelector } from "../process/find-process.ts";
import { processFindingCodes } from "../process/finding-codes.ts";
import type { ProcessInfo } from "../process/process-info.ts";
import { askPermission } from "../process/send-signal.ts";
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

/**
 * What stands in the way of a signal to the server: it can't be found, this process may not signal it, or `object`.
 *
 * @param doubt what is worth a word although the signal would be sent
 */
export async function prepareSignal(
  selector: ProcessSelector,
  procRoot: string,
  object: (server: ProcessInfo) => Promise<Omit<Refusal, "kind"> | undefined>,
  doubt: (server: ProcessInfo) => readonly Finding[] = () => [],
): Promise<readonly Finding[]> {
  const server = await findServer(selector, procRoot);
  if (server.kind === "refused") return [toFinding(server)];
  const permission = await askPermission(server.process, procRoot);
  const objection = await object(server.process);
  return [
    ...(permission.kind === "refused" ? [toFinding(permission)] : []),
    ...(objection === undefined ? [] : [toFinding(objection)]),
    ...doubt(server.process),
  ];
}

/** The refusal as a finding of the same code. */
export function toFinding(refusal: Omit<Refusal, "kind">): Finding {
  const { reason: code, detail: message, hint } = refusal;
  const [severity] = findingCodes[code] ?? (["refuse"] as const);
  return { code, severity, message, ...(hint === undefined ? {} : { hint }) };
}

const findingCodes: Readonly<Record<string, readonly [severity: Severity, meaning?: string]>> = {
  ...processFindingCodes,
  ...reloadFindingCodes,
};

/** The outcome of a reload that was called off before the server was touched. */
export function cancelled(): Refusal {
  return { kind: "refused", reason: "cancelled", detail: "called off before the server was told" };
}
