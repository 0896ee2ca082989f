import { X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { readFacts, readFingerprint } from "../certificate/facts.ts";
import type { CertificateFacts } from "../core/certificate-facts.ts";

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
  if (first?.raw === undefined || first.fingerprint256 === undefined) {
    return undefined;
  }
  const others: X509Certificate[] = [];
  const seen = new Set([first.fingerprint256]);
  let next = first.issuerCertificate;
  // A self-signed root is its own issuer: without the set the way up would never end.
  while (next?.raw !== undefined && !seen.has(next.fingerprint256) && others.length + 1 < longestChain) {
    seen.add(next.fingerprint256);
    others.push(parseOnce(next.fingerprint256, next.raw));
    next = next.issuerCertificate;
  }
  return { leaf: parseOnce(first.fingerprint256, first.raw), others };
}

/**
 * Certificates by their SHA-256. A probe sees the same few nearly every time; parsed anew they would pile up between
 * two garbage collections, with far more memory outside V8's heap than V8 knows of.
 */
const parsed = new Map<string, X509Certificate>();
const mostParsed = 64;

function parseOnce(fingerprint256: string, raw: Buffer): X509Certificate {
  const known = parsed.get(fingerprint256);
  if (known !== undefined) {
    return known;
  }
  const certificate = new X509Certificate(raw);
  const [oldest] = parsed.keys();
  if (oldest !== undefined && parsed.size >= mostParsed) {
    parsed.delete(oldest);
  }
  parsed.set(fingerprint256, certificate);
  return certificate;
}

const lastFacts = new WeakMap<X509Certificate, { readonly chain: PresentedChain; readonly facts: CertificateFacts }>();

/** What the chain says; worked out once while the same certificates are seen. */
export function readChainFacts(chain: PresentedChain): CertificateFacts {
  const last = lastFacts.get(chain.leaf);
  const { others } = chain;
  if (
    last?.chain.others.length === others.length &&
    others.every((other, index) => other === last.chain.others[index])
  ) {
    return last.facts;
  }
  const facts = readFacts(chain.leaf, others);
  lastFacts.set(chain.leaf, { chain, facts });
  return facts;
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
