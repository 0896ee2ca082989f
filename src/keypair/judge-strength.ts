import type { KeyObject, X509Certificate } from "node:crypto";
import { toOneLine } from "../certificate/facts.ts";
import { isSelfSigned } from "../certificate/issuer-chain.ts";
import { readKeyType } from "../certificate/key-type.ts";
import type { Finding } from "../core/finding.ts";
import { quoteForeign } from "../system/escape.ts";
import { createFinding } from "./finding-codes.ts";
import type { KeypairPolicy } from "./keypair-policy.ts";

/**
 * Judges keys and digests of every certificate that a server would load, by OpenSSL's security level 2 (112 bits), the
 * level at which today's distributions run their servers (OpenSSL manual, SSL_CTX_set_security_level).
 */
export function judgeStrength(chain: readonly X509Certificate[], policy: KeypairPolicy): readonly Finding[] {
  const severity = policy.allowWeak ? "warn" : "refuse";
  return chain.flatMap((certificate, index) => {
    const whose = `certificate ${index + 1} (${quoteForeign(toOneLine(certificate.subject))})`;
    const findings: Finding[] = [];
    const key = readPublicKey(certificate);
    if (key === undefined) {
      const message = `the public key of ${whose} is damaged or of an unknown algorithm`;
      findings.push(createFinding("public-key-unreadable", message, { severity }));
    }
    const weakKey = key === undefined ? undefined : nameWeakKey(key);
    if (weakKey !== undefined) {
      const hint = "issue with RSA 2048 or EC P-256 and above; --allow-weak takes it where the server does";
      findings.push(createFinding("weak-key", `the key of ${whose} is ${weakKey}`, { hint, severity }));
    }
    const algorithm = certificate.signatureAlgorithm ?? "";
    if (/md[245]|mdc2|ripemd|sha-?1(?!\d)/i.test(algorithm) && !isSelfSigned(certificate)) {
      const hint = "issue with SHA-256 and above; --allow-weak takes it where the server does";
      findings.push(createFinding("weak-digest", `the signature of ${whose} is ${algorithm}`, { hint, severity }));
    }
    return findings;
  });
}

/** A curve that OpenSSL knows but that neither it nor browsers offer unasked. */
export function judgeCurve(leaf: X509Certificate): readonly Finding[] {
  const key = readPublicKey(leaf);
  if (key === undefined || readKeyType(key) !== "ec-other") {
    return [];
  }
  const curve = key.asymmetricKeyDetails?.namedCurve ?? "unnamed parameters";
  const hint = "issue with P-256 or P-384, unless every client is known to offer this curve";
  return [createFinding("rare-curve", `the key of the leaf is on the curve ${curve}`, { hint })];
}

function nameWeakKey(key: KeyObject): string | undefined {
  const details = key.asymmetricKeyDetails;
  if (details?.modulusLength !== undefined && details.modulusLength < 2048) {
    return `${(key.asymmetricKeyType ?? "").toUpperCase()} ${details.modulusLength}`;
  }
  const curveBits = Number(/\d{3}/.exec(details?.namedCurve ?? "")?.[0] ?? Number.NaN);
  return curveBits < 224 ? `on the curve ${details?.namedCurve}` : undefined;
}

function readPublicKey(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    // Damaged or of an algorithm that OpenSSL doesn't know; the caller says so.
    return undefined;
  }
}
