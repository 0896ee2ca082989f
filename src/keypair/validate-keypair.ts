import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { Finding } from "../core/finding.ts";
import { judgeChain } from "./judge-chain.ts";
import { judgeDates } from "./judge-dates.ts";
import { judgeNames, judgeOwnership, judgeTrust } from "./judge-identity.ts";
import { judgeCurve, judgeStrength } from "./judge-strength.ts";
import { judgeSuccession } from "./judge-succession.ts";
import type { Keypair } from "./keypair.ts";
import type { KeypairPolicy } from "./keypair-policy.ts";

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
    ...judgeCurve(keypair.leaf),
    ...judgeSuccession(keypair, policy, nowMs, served),
    ...judgeChain(keypair, nowMs),
  ];
  return (["refuse", "hold", "warn"] as const).flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  );
}
