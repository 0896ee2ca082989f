/** Makes every vector anew: `node test/vectors/make-vectors.ts`. Needs the openssl program. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVectorKit } from "./kit.ts";
import { vectorFileNames, vectorFolder, vectors } from "./read-vector.ts";

const kit = await createVectorKit();
rmSync(vectorFolder, { recursive: true, force: true });
for (const { name, make } of vectors) {
  const files = await make(kit);
  const folder = join(vectorFolder, name);
  mkdirSync(folder, { recursive: true });
  for (const [part, contents] of Object.entries(files)) {
    writeFileSync(join(folder, vectorFileNames[part as keyof typeof vectorFileNames]), contents);
  }
}
console.log(`made ${vectors.length} vectors`);
