import { X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { readFingerprint } from "../certificate/facts.ts";

/** A longer chain is cut: OpenSSL takes up to 100 KiB of certificates, which is room for hundreds of tiny ones. */
const longestChain = 100;

/** The certificates of one handshake. */
export interface PresentedChain {
  readonly leaf: X509Certificate;
  /** The presented certificates above the leaf; those that issued nothing may be left out. */
  readonly others: readonly X509Certificate[];
}

/**
 * Takes the certificates that the server presented; undefined where none came. To be called once for a socket.
 *
 * Node 24 has two ways to read them, and both have a fault. `getPeerX509Certificate` loses the memory of every
 * certificate behind the leaf, some 5 KB each (X509Certificate's constructor takes them off OpenSSL's list without
 * freeing them): nothing for an agent that probes for months. `getPeerCertificate` follows the issuers, but stops too
 * early where they come out of order (AddIssuerChainToObject takes "found in the last place" for "not found"). So the
 * second is used, and the first only where the second shows a part of what is expected, and then rarely.
 *
 * @param expectedChain fingerprints from the leaf upwards, as in `CertificateFacts.chain`
 * @throws Error where a certificate can't be decoded
 */
export function takePresentedChain(
  socket: TLSSocket,
  expectedChain: readonly string[] | undefined,
): PresentedChain | undefined {
  const path = readIssuerPath(socket);
  if (path === undefined || expectedChain === undefined || !isPartOf(path, expectedChain)) {
    return path;
  }
  const key = [path.leaf, ...path.others].map(readFingerprint).join();
  const known = wholeChains.get(key);
  if (known !== undefined && known.usesLeft > 0) {
    known.usesLeft -= 1;
    return known.chain;
  }
  const chain = readWholeChain(socket) ?? path;
  if (chain.others.length > path.others.length) {
    if (wholeChains.size >= mostWholeChains) {
      wholeChains.clear();
    }
    wholeChains.set(key, { chain, usesLeft: usesOfWholeChain });
  }
  return chain;
}

/** Whole chains by the part of them that `getPeerCertificate` shows; read anew after an hour of probes. */
const wholeChains = new Map<string, { readonly chain: PresentedChain; usesLeft: number }>();
const mostWholeChains = 64;
const usesOfWholeChain = 60;

function readIssuerPath(socket: TLSSocket): PresentedChain | undefined {
  const first: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true);
  if (first?.raw === undefined) {
    return undefined;
  }
  const others: X509Certificate[] = [];
  const seen = new Set([first.fingerprint256]);
  let next = first.issuerCertificate;
  // A self-signed root is its own issuer: without the set the way up would never end.
  while (next?.raw !== undefined && !seen.has(next.fingerprint256) && others.length + 1 < longestChain) {
    seen.add(next.fingerprint256);
    others.push(new X509Certificate(next.raw));
    next = next.issuerCertificate;
  }
  return { leaf: new X509Certificate(first.raw), others };
}

/** Every certificate in the order of the handshake. It changes OpenSSL's list: nothing can be read after it. */
function readWholeChain(socket: TLSSocket): PresentedChain | undefined {
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

function isPartOf(path: PresentedChain, expectedChain: readonly string[]): boolean {
  const fingerprints = [path.leaf, ...path.others].map(readFingerprint);
  return (
    fingerprints.length < expectedChain.length &&
    fingerprints.every((fingerprint, index) => fingerprint === expectedChain[index])
  );
}
