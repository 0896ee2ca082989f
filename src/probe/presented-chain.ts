import { createHash, type X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { type ChainProblem, findChainProblems } from "../certificate/chain-problems.ts";
import { readFacts } from "../certificate/facts.ts";
import type { CertificateFacts } from "../core/certificate-facts.ts";
import { readSessionLeaf } from "./session-leaf.ts";

/** A longer chain is cut: OpenSSL takes up to 100 KiB of certificates, which is room for hundreds of tiny ones. */
const longestChain = 100;

/** The certificates of one handshake. */
export interface PresentedChain {
  readonly leaf: X509Certificate;
  /** The presented certificates above the leaf, in their order. */
  readonly others: readonly X509Certificate[];
}

/**
 * Takes the certificates that the server presented; undefined where none came. To be called once for a socket.
 *
 * Node 24 has two ways to read them, and both have a fault. `getPeerCertificate` ends the process for an EC key on a
 * curve without a NIST name (seen with 24.21 and brainpoolP256r1), which any server can present: it is never called.
 * `getPeerX509Certificate` loses the memory of every certificate behind the leaf, some 5 KB each (X509Certificate's
 * constructor takes them off OpenSSL's list without freeing them), too much for an agent that probes for months. So the
 * leaf is read out of the session, and the chain behind a leaf that was seen at this place before is read anew only where
 * that was a quarter of an hour ago, or where it isn't the one that is expected. A leaf alone loses nothing, and is not
 * kept.
 *
 * @param expectedChain fingerprints from the leaf upwards, as in `CertificateFacts.chain`
 * @param nowMs monotonic
 * @throws Error where a certificate can't be decoded
 */
export function takePresentedChain(
  socket: TLSSocket,
  place: string,
  expectedChain: readonly string[] | undefined,
  nowMs: number,
): PresentedChain | undefined {
  const leaf = readSessionLeaf(socket);
  const fingerprint = leaf && createHash("sha256").update(leaf).digest("hex");
  const key = `${place} ${fingerprint}`;
  const known = fingerprint === undefined ? undefined : chains.get(key);
  if (known !== undefined && isFresh(known, nowMs) && !isDoubtful(known.chain, fingerprint, expectedChain)) {
    return known.chain;
  }
  const chain = readChain(socket);
  if (chain !== undefined && chain.others.length > 0 && fingerprint !== undefined) {
    remember(key, { chain, readMs: nowMs });
  }
  return chain;
}

interface KnownChain {
  readonly chain: PresentedChain;
  /** Monotonic. */
  readonly readMs: number;
}

/**
 * Chains by place and leaf, the one that was read first in front. One map for the whole process, as it is the process
 * that loses memory: targets that look at the same place read its chain once.
 */
const chains = new Map<string, KnownChain>();
const mostChains = 1_024;
const longestUseMs = 15 * 60_000;

/** An age below zero is one by another clock. */
function isFresh({ readMs }: KnownChain, nowMs: number): boolean {
  return nowMs >= readMs && nowMs - readMs < longestUseMs;
}

function remember(key: string, known: KnownChain): void {
  chains.delete(key);
  for (const [oldest, { readMs }] of chains) {
    if (chains.size < mostChains && known.readMs - readMs < longestUseMs) {
      break;
    }
    chains.delete(oldest);
  }
  chains.set(key, known);
}

/** The right leaf before another chain than the volume's: the server may just have been told of a new intermediate. */
function isDoubtful(
  chain: PresentedChain,
  leaf: string | undefined,
  expectedChain: readonly string[] | undefined,
): boolean {
  if (expectedChain === undefined || leaf !== expectedChain[0]) {
    return false;
  }
  const seen = readChainFacts(chain).chain;
  return expectedChain.some((fingerprint, index) => fingerprint !== seen[index]);
}

/** Every certificate in the order of the handshake. It changes OpenSSL's list: nothing can be read after it. */
function readChain(socket: TLSSocket): PresentedChain | undefined {
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

const facts = new WeakMap<PresentedChain, CertificateFacts>();
const problems = new WeakMap<PresentedChain, readonly ChainProblem[]>();

/** What the chain says; worked out once for a chain. */
export function readChainFacts(chain: PresentedChain): CertificateFacts {
  const known = facts.get(chain) ?? readFacts(chain.leaf, chain.others);
  facts.set(chain, known);
  return known;
}

/** What is wrong with the chain; worked out once for a chain, which is used for a quarter of an hour at most. */
export function readChainProblems(chain: PresentedChain, nowMs: number): readonly ChainProblem[] {
  const known = problems.get(chain) ?? findChainProblems(chain.leaf, [chain.leaf, ...chain.others], nowMs);
  problems.set(chain, known);
  return known;
}
