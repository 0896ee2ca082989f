import { explainReadFailure, readBounded } from "../system/read-bounded.ts";
import type { ClientCertificate } from "./secure-context.ts";

/** The client's pair, or why there is none. */
export type ReadClientCertificate =
  | { readonly kind: "pair"; readonly pair: ClientCertificate }
  | { readonly kind: "unusable"; readonly detail: string };

const largestFile = 1024 * 1024;

/**
 * Reads the client's certificate and key anew: they are renewed like any other. Give the pair to
 * {@link overwriteClientCertificate} when done.
 */
export async function readClientCertificate(certificateFile: string, keyFile: string): Promise<ReadClientCertificate> {
  const certificate = await readBounded(certificateFile, largestFile);
  if (certificate.kind === "failed") {
    const detail = `client certificate ${certificateFile} ${explainReadFailure(certificate.failure)}`;
    return { kind: "unusable", detail };
  }
  const key = await readBounded(keyFile, largestFile);
  if (key.kind === "failed") {
    certificate.bytes.fill(0);
    return { kind: "unusable", detail: `client key ${keyFile} ${explainReadFailure(key.failure)}` };
  }
  return { kind: "pair", pair: { certificate: certificate.bytes, key: key.bytes } };
}

/** Overwrites both texts: a certificate's file may hold the key as well. */
export function overwriteClientCertificate({ certificate, key }: ClientCertificate): void {
  certificate.fill(0);
  key.fill(0);
}
