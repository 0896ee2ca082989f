import { createHash } from "node:crypto";
import type { CertificateFacts } from "../../src/core/certificate-facts.ts";
import type { Policy } from "../../src/core/policy.ts";
import type { ProbeResult } from "../../src/core/probe-result.ts";
import type { VolumeLook } from "../../src/core/volume-look.ts";

/** 2026-11-30T09:10:00Z, where the tests of the core begin. */
export const startMs = 1_796_029_800_000;
const dayMs = 86_400_000;

/** The facts of a certificate that doesn't exist, told apart by its name. */
export function factsOf(name: string, more: Partial<CertificateFacts> = {}): CertificateFacts {
  const fingerprint = createHash("sha256").update(name).digest("hex");
  return {
    fingerprint,
    chain: [fingerprint],
    chainFingerprint: fingerprint,
    publicKeyFingerprint: fingerprint,
    subject: `CN=${name}`,
    issuer: "CN=authority",
    serialNumber: "01",
    names: ["a.example"],
    notBefore: startMs - dayMs,
    notAfter: startMs + 90 * dayMs,
    keyType: "ec-p256",
    ...more,
  };
}

/** A look that found this certificate with a key that belongs to it. */
export function acceptedLook(certificate: CertificateFacts, contentHash: string = certificate.fingerprint): VolumeLook {
  return { kind: "accepted", source: { generation: "..g", isAtomic: true, contentHash }, certificate, findings: [] };
}

/** A look at files that were not published in one step. */
export function plainLook(certificate: CertificateFacts): VolumeLook {
  const look = acceptedLook(certificate, `plain ${certificate.fingerprint}`);
  return { ...look, source: { ...look.source, isAtomic: false } };
}

/** A look that found a bad pair. */
export function refusedLook(certificate: CertificateFacts, isAtomic: boolean = true): VolumeLook {
  const source = { generation: "..bad", isAtomic, contentHash: `bad ${certificate.fingerprint}` };
  const message = "the private key belongs to no certificate of the file";
  return { kind: "refused", source, certificate, findings: [{ code: "key-mismatch", severity: "refuse", message }] };
}

/** A look that found nothing. */
export function missingLook(): VolumeLook {
  const findings = [{ code: "volume-absent", severity: "refuse", message: "the directory does not exist" }] as const;
  return { kind: "missing", source: { generation: "-", isAtomic: false, contentHash: "" }, findings };
}

/** What a handshake with a server of this certificate learns. */
export function servedResult(certificate: CertificateFacts): ProbeResult {
  return { kind: "served", certificate, protocol: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", durationMs: 2 };
}

/** What a probe of a closed port learns. */
export const unreachableResult: ProbeResult = {
  kind: "unreachable",
  reason: "connection-refused",
  detail: "nothing listens there",
  durationMs: 1,
};

/** A policy with the defaults of the command line. */
export function policyOf(more: Partial<Policy> = {}): Policy {
  return {
    isWatchOnly: false,
    endpoints: ["127.0.0.1:8443"],
    ladder: [{ strategy: "signal", attempts: 3, spreadMs: 0, leastRetryMs: 0 }],
    minIntervalMs: 0,
    spreadShare: 0,
    confirm: 3,
    verifyTimeoutMs: 10_000,
    verifyIntervalMs: 60_000,
    staleGraceMs: 60_000,
    settleMs: 500,
    writeGraceMs: 10_000,
    ...more,
  };
}
