import { readFile, stat } from "node:fs/promises";
import type { ClientCertificate } from "./secure-context.ts";

/** The client's pair, or why there is none. */
export type ReadClientCertificate =
  | { readonly kind: "pair"; readonly pair: ClientCertificate }
  | { readonly kind: "unusable"; readonly detail: string };

const largestFile = 1024 * 1024;

/** Reads the client's certificate and key anew: they are renewed like any other. Overwrite the key when done. */
export async function readClientCertificate(certificateFile: string, keyFile: string): Promise<ReadClientCertificate> {
  const certificate = await readBounded(certificateFile);
  if (typeof certificate === "string") {
    return { kind: "unusable", detail: `client certificate ${certificateFile} ${certificate}` };
  }
  const key = await readBounded(keyFile);
  if (typeof key === "string") {
    return { kind: "unusable", detail: `client key ${keyFile} ${key}` };
  }
  return { kind: "pair", pair: { certificate, key } };
}

async function readBounded(file: string): Promise<Buffer | string> {
  try {
    const { size } = await stat(file);
    return size > largestFile ? `is larger than ${largestFile} bytes` : await readFile(file);
  } catch (error) {
    return `can't be read (${error instanceof Error && "code" in error ? String(error.code) : "unknown error"})`;
  }
}
