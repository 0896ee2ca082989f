import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { Finding } from "../core/finding.ts";
import { judgeChain } from "./judge-chain.ts";
import { judgeDates } from "./judge-dates.ts";
import { judgeNames, judgeOwnership, judgeTrust } from "./judge-identity.ts";
import { judgeStrength } from "./judge-strength.ts";
import { judgeSuccession } from "./judge-succession.ts";
import type { Keypair } from "./keypair.ts";

/** What the configuration asks of a pair. */
export interface KeypairPolicy {
  /** A leaf that ends sooner than this is refused. */
  readonly minValidityMs: number;
  /** A leaf that begins within this time is held until then; one that begins later is refused. */
  readonly clockSkewMs: number;
  /** DNS names and IP addresses that the leaf must cover; a wildcard must stand there as it is. */
  readonly requireNames: readonly string[];
  /** Refuse what doesn't verify against the CA file, or has none, rather than warn. */
  readonly requireTrust: boolean;
  /** Let an expired or temporary certificate replace what is served. */
  readonly allowExpired: boolean;
  /** Let keys and digests through that servers refuse at OpenSSL's security level 2. */
  readonly allowWeak: boolean;
}

/** What holds when nothing is configured. */
export const defaultKeypairPolicy: KeypairPolicy = {
  minValidityMs: 0,
  clockSkewMs: 5 * 60_000,
  requireNames: [],
  requireTrust: false,
  allowExpired: false,
  allowWeak: false,
};

/**
 * Everything that is to be said about a pair, the grave first; pure. The pair is refused when any finding has the
 * severity `refuse`, and held until `holdUntilMs` when one has `hold` and none `refuse`.
 *
 * @param nowMs milliseconds since the epoch
 * @param served what the endpoint serves now, where that is known
 */
export function validateKeypair(
  keypair: Keypair,
  policy: KeypairPolicy,
  nowMs: number,
  served: CertificateFacts | undefined,
): readonly Finding[] {
  const findings = [
    ...judgeOwnership(keypair),
    ...judgeDates(keypair.leaf, policy, nowMs, served),
    ...judgeNames(keypair, policy),
    ...judgeTrust(keypair, policy),
    ...judgeStrength(keypair.chain, policy),
    ...judgeSuccession(keypair, policy, nowMs, served),
    ...judgeChain(keypair, nowMs),
  ];
  return (["refuse", "hold", "warn"] as const).flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  );
}

/** The moment from which on a held pair can be served, in milliseconds since the epoch. */
export function holdUntilMs(keypair: Keypair): number {
  return keypair.leaf.validFromDate.getTime();
}
