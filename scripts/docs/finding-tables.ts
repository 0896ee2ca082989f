import type { Severity } from "../../src/core/finding.ts";
import { keypairFindingCodes } from "../../src/keypair/finding-codes.ts";
import { processFindingCodes } from "../../src/process/finding-codes.ts";
import { reloadFindingCodes } from "../../src/reload/finding-codes.ts";
import { volumeFindingCodes } from "../../src/volume/finding-codes.ts";
import { code, table } from "./markdown.ts";
import { knownFlags } from "./option-tables.ts";

type Entry = readonly [severity: Severity, meaning: string];

/** The codes of each room with severity and meaning, in the order of the source. */
export const findingTables: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  keypair: keypairFindingCodes,
  volume: volumeFindingCodes,
  process: processFindingCodes,
  reload: reloadFindingCodes,
};

export function renderFindings(room: string): string {
  const rows = Object.entries(findingTables[room] ?? {}).map(([name, [severity, meaning]]) => [
    code(name),
    severity,
    markMissingFlags(meaning),
  ]);
  return table(["code", "severity", "meaning"], rows);
}

/** The rules know flags that the command line doesn't offer yet; a reader must not look for them. */
function markMissingFlags(text: string): string {
  return text.replaceAll(/`(--[a-z-]+)`/g, (whole, flag) =>
    knownFlags.has(flag) ? whole : `${whole} (not there yet)`,
  );
}
