import type { X509Certificate } from "node:crypto";
import { toDurationText } from "../certificate/duration-text.ts";
import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { Finding } from "../core/finding.ts";
import { createFinding } from "./finding-codes.ts";
import type { Keypair } from "./keypair.ts";
import type { KeypairPolicy } from "./keypair-policy.ts";

/** The moment from which on a held pair can be served, in milliseconds since the epoch. */
export function holdUntilMs(keypair: Keypair): number {
  return keypair.leaf.validFromDate.getTime();
}

/**
 * The next moment after `nowMs` at which the dates of the leaf change the verdict, in milliseconds since the epoch;
 * undefined when none is left. The same files can be judged anew then.
 */
export function nextVerdictChangeMs(keypair: Keypair, policy: KeypairPolicy, nowMs: number): number | undefined {
  const notBefore = keypair.leaf.validFromDate.getTime();
  const notAfter = keypair.leaf.validToDate.getTime();
  const moments = [notBefore - policy.clockSkewMs, notBefore, notAfter - policy.minValidityMs + 1, notAfter];
  const ahead = moments.filter((moment) => moment > nowMs);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

/** Judges when the leaf is valid. */
export function judgeDates(
  leaf: X509Certificate,
  policy: KeypairPolicy,
  nowMs: number,
  served: CertificateFacts | undefined,
): readonly Finding[] {
  const notBefore = leaf.validFromDate.getTime();
  const notAfter = leaf.validToDate.getTime();
  if (Number.isNaN(notBefore) || Number.isNaN(notAfter)) {
    return [createFinding("certificate-dates-unreadable", "the dates of the leaf can't be read")];
  }
  if (nowMs >= notAfter) {
    return [judgeExpired(leaf, policy, nowMs, served)];
  }
  const findings = notBefore > nowMs ? [judgeBeginning(leaf, policy, nowMs)] : [];
  if (notAfter - nowMs < policy.minValidityMs) {
    const left = toDurationText(notAfter - nowMs);
    const wanted = toDurationText(policy.minValidityMs);
    const message = `the leaf ends at ${leaf.validToDate.toISOString()}, in ${left}; at least ${wanted} are asked for`;
    const hint = "renew earlier, or lower --min-validity";
    findings.push(createFinding("too-little-validity", message, { hint }));
  }
  return findings;
}

function judgeExpired(
  leaf: X509Certificate,
  policy: KeypairPolicy,
  nowMs: number,
  served: CertificateFacts | undefined,
): Finding {
  const ago = toDurationText(nowMs - leaf.validToDate.getTime());
  const isAnyValidServed = served !== undefined && served.notBefore <= nowMs && nowMs < served.notAfter;
  const instead = isAnyValidServed ? "" : "; no valid certificate is known to be served either";
  const message = `the leaf ended at ${leaf.validToDate.toISOString()}, ${ago} ago${instead}`;
  const hint = "look why the issuer did not renew it; --allow-expired takes it all the same";
  return createFinding("expired", message, { hint, severity: policy.allowExpired ? "warn" : "refuse" });
}

function judgeBeginning(leaf: X509Certificate, policy: KeypairPolicy, nowMs: number): Finding {
  const aheadMs = leaf.validFromDate.getTime() - nowMs;
  const message = `the leaf is valid from ${leaf.validFromDate.toISOString()} on, in ${toDurationText(aheadMs)}`;
  if (aheadMs <= policy.clockSkewMs) {
    return createFinding("held-until-valid", message, { hint: "it is taken up at that moment; compare the clocks" });
  }
  const hint = "compare the clocks of the issuer and of this machine";
  return createFinding("not-yet-valid", message, { hint });
}
