import type { KeyObject, X509Certificate } from "node:crypto";
import { readFacts } from "../certificate/facts.ts";
import type { CertificateFacts } from "../core/certificate-facts.ts";

/** One certificate chain with its private key, parsed and not yet judged. */
export interface Keypair {
  /** The certificate that the key belongs to; without a key or a match, the one that looks like a server's. */
  readonly leaf: X509Certificate;
  /** Every certificate of the file in its order, the leaf among them. */
  readonly chain: readonly X509Certificate[];
  /** Every certificate of the CA file; empty where there is none. */
  readonly authorities: readonly X509Certificate[];
  /** Undefined in certificate-only mode. */
  readonly privateKey: KeyObject | undefined;
}

/** The facts of the pair's chain as a file; comparable with the facts of a handshake. */
export function readKeypairFacts(keypair: Keypair): CertificateFacts {
  return readFacts(
    keypair.leaf,
    keypair.chain.filter((certificate) => certificate !== keypair.leaf),
  );
}
