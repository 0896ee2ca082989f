/**
 * Makes every vector anew, or only those that are named: `node test/vectors/make-vectors.ts [NAME…]`. Needs the openssl
 * program.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createVectorKit } from "./kit.ts";
import { vectorFileNames, vectorFolder, vectors } from "./read-vector.ts";

const kit = await createVectorKit();
const wanted = process.argv.slice(2);
const chosen = vectors.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
for (const { name, make } of chosen) {
  const files = await make(kit);
  const folder = join(vectorFolder, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [part, contents] of Object.entries(files)) {
    writeFileSync(join(folder, vectorFileNames[part as keyof typeof vectorFileNames]), contents);
  }
}
console.log(`made ${chosen.length} vectors`);
