import type { X509Certificate } from "node:crypto";
import type { ProbeResult } from "../core/probe-result.ts";
import { coversName, findTrustProblem } from "./judge-trust.ts";
import { mustStaple } from "./must-staple.ts";
import { readOcspStaple } from "./ocsp-staple.ts";
import { readChainFacts, readChainProblems } from "./presented-chain.ts";
import type { HandshakeOutcome } from "./tls-client.ts";

type Served = Extract<ProbeResult, { kind: "served" }>;

/** What to hold a served certificate against; none of it decides anything. */
export interface Expectations {
  /** The name sent as SNI, or the IP address connected to; undefined for a Unix socket or `localhost`. */
  readonly name: string | undefined;
  /** Certificates of the CA file; undefined where there is none. */
  readonly authorities: readonly X509Certificate[] | undefined;
  readonly nowMs: number;
}

/** Turns what a server presented into facts. Never throws, however odd the certificate. */
export function describeServed(
  presented: Extract<HandshakeOutcome, { kind: "presented" }>,
  expectations: Expectations,
  durationMs: number,
): ProbeResult {
  try {
    return {
      kind: "served",
      certificate: readChainFacts(presented.chain),
      protocol: presented.protocol,
      cipher: presented.cipher,
      ...describeChain(presented, expectations),
      ...describeStaple(presented.chain.leaf, presented.staple),
      ...describeName(presented.chain.leaf, expectations.name),
      ...describeTrust(presented, expectations),
      durationMs,
    };
  } catch {
    // OpenSSL took the certificate for the handshake, yet some field of it can't be decoded.
    const detail = "the certificate that the server presented can't be read";
    return { kind: "unreachable", reason: "handshake-failed", detail, durationMs };
  }
}

/** A server can present a hundred certificates, each with something wrong. */
const mostProblems = 5;

function describeChain(
  { chain }: Extract<HandshakeOutcome, { kind: "presented" }>,
  { authorities, nowMs }: Expectations,
): Pick<Served, "chainProblems"> {
  const chainProblems = readChainProblems(chain, nowMs)
    // With a CA file it is known whether an issuer is missing.
    .filter(({ code }) => code !== "chain-incomplete" || authorities === undefined)
    .slice(0, mostProblems)
    .map(({ code, message }) => ({ code, message }));
  return chainProblems.length === 0 ? {} : { chainProblems };
}

function describeStaple(leaf: X509Certificate, staple: Buffer | undefined): Pick<Served, "ocspStaple"> {
  if (staple === undefined || staple.length === 0) {
    return mustStaple(leaf) ? { ocspStaple: { status: "missing", isForLeaf: false } } : {};
  }
  const read = readOcspStaple(staple);
  if (read === undefined) {
    return { ocspStaple: { status: "unreadable", isForLeaf: false } };
  }
  return { ocspStaple: { ...read, isForLeaf: read.serialNumber === leaf.serialNumber } };
}

function describeName(leaf: X509Certificate, name: string | undefined): Pick<Served, "coversName"> {
  return name === undefined ? {} : { coversName: { name, isCovered: coversName(leaf, name) } };
}

function describeTrust(
  presented: Extract<HandshakeOutcome, { kind: "presented" }>,
  { authorities, nowMs }: Expectations,
): Pick<Served, "trust"> {
  if (authorities === undefined) {
    return {};
  }
  const problem = findTrustProblem(presented.chain, authorities, nowMs);
  return { trust: problem === undefined ? { isTrusted: true } : { isTrusted: false, problem } };
}
