import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KeypairFiles } from "../../src/keypair/parse-keypair.ts";
import { chainVectors } from "./chain-vectors.ts";
import { keyVectors } from "./key-vectors.ts";
import { leafVectors } from "./leaf-vectors.ts";
import { pemVectors } from "./pem-vectors.ts";
import type { Vector } from "./vector.ts";

/** Every vector, in the order of its kinds. */
export const vectors: readonly Vector[] = [...pemVectors, ...keyVectors, ...chainVectors, ...leafVectors];

/** The folder that holds one folder for each vector. */
export const vectorFolder: string = fileURLToPath(new URL("files/", import.meta.url));

/** Names of the files within the folder of a vector. */
export const vectorFileNames = {
  certificate: "tls.crt",
  key: "tls.key",
  ca: "ca.crt",
  passphrase: "passphrase",
} as const;

/** Reads the files of a vector anew, since parsing overwrites keys. */
export function readVector(name: string): KeypairFiles {
  const read = (file: string): Buffer | undefined => {
    const path = join(vectorFolder, name, file);
    return existsSync(path) ? readFileSync(path) : undefined;
  };
  const key = read(vectorFileNames.key);
  const passphrase = read(vectorFileNames.passphrase);
  return {
    certificate: read(vectorFileNames.certificate) ?? Buffer.alloc(0),
    ...(key === undefined ? { bundle: true } : { key }),
    ca: read(vectorFileNames.ca),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
}
