import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";

/** A longer chain is cut: OpenSSL takes up to 100 KiB of certificates, which is room for hundreds of tiny ones. */
const longestChain = 100;

/** The certificates of one handshake in the order the server presented them. */
export interface PresentedChain {
  readonly leaf: X509Certificate;
  readonly others: readonly X509Certificate[];
}

/**
 * Takes the certificates that the server presented; undefined where none came. To be called once for a socket: reading
 * takes the leaf out of OpenSSL's list, and a second call would return the issuer or nothing.
 */
export function takePresentedChain(socket: TLSSocket): PresentedChain | undefined {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) {
    return undefined;
  }
  const others: X509Certificate[] = [];
  let next = leaf.issuerCertificate;
  while (next !== undefined && others.length + 1 < longestChain) {
    others.push(next);
    next = next.issuerCertificate;
  }
  return { leaf, others };
}
