// Writes the parts of the documents that are made from the source, between their marks. Run it after changing a flag,
// a metric, a finding code or one of the other closed lists; a test fails while a document is out of date.
import { writeFile } from "node:fs/promises";
import { renderDocuments } from "./docs/documents.ts";

for (const { path, isCurrent, text } of await renderDocuments()) {
  if (!isCurrent) await writeFile(path, text);
  console.log(`${path}: ${isCurrent ? "is up to date" : "written anew"}`);
}
