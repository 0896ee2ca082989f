import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sections } from "./sections.ts";

/** The documents with generated parts. */
export const documents: readonly string[] = [
  "README.md",
  "ARCHITECTURE.md",
  "docs/endpoints.md",
  "docs/findings.md",
  "docs/logs.md",
  "docs/metrics.md",
  "docs/works-with.md",
];

const root = join(import.meta.dirname, "..", "..");
const markedPart = /(<!-- generated: (\S+) -->\n)[\s\S]*?(<!-- end of generated: \2 -->)/g;

/** A document as it should be. */
export interface RenderedDocument {
  readonly path: string;
  readonly text: string;
  /** True where the file says exactly this already. */
  readonly isCurrent: boolean;
  /** The names of the generated parts in it. */
  readonly parts: readonly string[];
}

/** Reads every document and fills its marked parts from the source. Writes nothing. */
export async function renderDocuments(): Promise<readonly RenderedDocument[]> {
  return Promise.all(
    documents.map(async (name) => {
      const path = join(root, name);
      const before = await readFile(path, "utf8");
      const parts = [...before.matchAll(markedPart)].map(([, , part = ""]) => part);
      const bodies = new Map<string, string>();
      for (const part of parts) bodies.set(part, await renderPart(name, part));
      const text = before.replace(markedPart, (_, begin, part, end) => `${begin}\n${bodies.get(part)}\n${end}`);
      return { path, text, isCurrent: text === before, parts };
    }),
  );
}

async function renderPart(document: string, part: string): Promise<string> {
  const render = sections[part];
  if (render === undefined) throw new Error(`${document} asks for a part "${part}", which nothing renders`);
  return (await render()).trimEnd().concat("\n");
}
