import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { documents, renderDocuments } from "../../../scripts/docs/documents.ts";
import { sections } from "../../../scripts/docs/sections.ts";

const rendered = await renderDocuments();

test.each(rendered)("$path says what the source says: run scripts/docs.ts if it does not", async ({ path, text }) => {
  expect(await readFile(path, "utf8")).toBe(text);
});

test("every part that can be generated stands in a document", () => {
  const used = new Set(rendered.flatMap(({ parts }) => parts));
  expect(Object.keys(sections).filter((name) => !used.has(name))).toEqual([]);
});

test("every mark of a generated part has its end", async () => {
  for (const name of documents) {
    const text = await readFile(name, "utf8");
    const begun = [...text.matchAll(/<!-- generated: (\S+) -->/g)].map(([, part]) => part);
    const ended = [...text.matchAll(/<!-- end of generated: (\S+) -->/g)].map(([, part]) => part);
    expect(ended, name).toEqual(begun);
  }
});
