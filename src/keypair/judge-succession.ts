import { toDurationText } from "../certificate/duration-text.ts";
import { isSelfSigned } from "../certificate/issuer-chain.ts";
import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { Finding } from "../core/finding.ts";
import { createFinding } from "./finding-codes.ts";
import { type Keypair, readKeypairFacts } from "./keypair.ts";
import type { KeypairPolicy } from "./keypair-policy.ts";

/** Judges the pair as the successor of what is served. */
export function judgeSuccession(
  keypair: Keypair,
  policy: KeypairPolicy,
  nowMs: number,
  served: CertificateFacts | undefined,
): readonly Finding[] {
  const facts = readKeypairFacts(keypair);
  if (served === undefined || served.fingerprint === facts.fingerprint) {
    return [];
  }
  const findings: Finding[] = [];
  const isServedValid = served.notBefore <= nowMs && nowMs < served.notAfter;
  if (isServedValid && served.subject !== served.issuer && isSelfSigned(keypair.leaf)) {
    const message = "the leaf is self-signed, and a valid certificate from an authority is served";
    const hint = "it is usually temporary: wait for the issuer; --allow-expired takes it all the same";
    const severity = policy.allowExpired ? "warn" : "refuse";
    findings.push(createFinding("temporary-self-signed", message, { hint, severity }));
  }
  if (facts.notBefore < served.notBefore) {
    const earlier = toDurationText(served.notBefore - facts.notBefore);
    const hint = "look whether an old Secret was restored";
    findings.push(createFinding("rollback", `the leaf was issued ${earlier} before the one that is served`, { hint }));
  }
  if (facts.notAfter < served.notAfter) {
    const earlier = toDurationText(served.notAfter - facts.notAfter);
    findings.push(createFinding("ends-before-served", `the leaf ends ${earlier} before the one that is served`));
  }
  if (facts.keyType !== served.keyType) {
    const message = `the key type changes from ${served.keyType} to ${facts.keyType}`;
    findings.push(createFinding("key-type-changed", message));
  }
  return findings;
}
