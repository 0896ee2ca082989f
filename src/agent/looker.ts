import type { KeypairConfig } from "../config/config.ts";
import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { Finding } from "../core/finding.ts";
import type { VolumeLook } from "../core/volume-look.ts";
import { holdUntilMs } from "../keypair/judge-dates.ts";
import { readKeypairFacts } from "../keypair/keypair.ts";
import { defaultKeypairPolicy, type KeypairPolicy } from "../keypair/keypair-policy.ts";
import { parseKeypair } from "../keypair/parse-keypair.ts";
import { validateKeypair } from "../keypair/validate-keypair.ts";
import type { Clock } from "../system/clock.ts";
import { readVolume, type VolumeRead } from "../volume/read-volume.ts";
import type { VolumeRequest } from "../volume/volume-request.ts";

/**
 * Reads a volume and judges what lies there.
 *
 * @param served what is served now, if that is known: an expired pair is worse than one that is valid
 */
export type Looker = (served: CertificateFacts | undefined) => Promise<VolumeLook>;

/** A looker that parses again only what has changed, or what time may have made valid. */
export function createLooker(request: VolumeRequest, rules: KeypairConfig, clock: Clock): Looker {
  const policy: KeypairPolicy = { ...defaultKeypairPolicy, ...rules };
  let last: VolumeLook | undefined;
  return async (served) => {
    const read = await readVolume(request);
    if (read.kind === "read" && last?.kind === "accepted" && last.source.contentHash === read.source.contentHash) {
      read.key?.fill(0);
      last = { ...last, source: read.source };
    } else {
      last = judgeRead(read, policy, clock.now().wallMs, served);
    }
    return last;
  };
}

function judgeRead(
  read: VolumeRead,
  policy: KeypairPolicy,
  nowMs: number,
  served: CertificateFacts | undefined,
): VolumeLook {
  const { source } = read;
  if (read.kind === "unreadable") return { kind: "missing", source, findings: read.findings };
  const parsed = parseKeypair(read);
  if (parsed.kind === "unusable") {
    return { kind: "refused", source, certificate: parsed.certificate, findings: parsed.findings };
  }
  const { keypair } = parsed;
  const certificate = readKeypairFacts(keypair);
  const findings: readonly Finding[] = [...parsed.findings, ...validateKeypair(keypair, policy, nowMs, served)];
  if (findings.some(({ severity }) => severity === "refuse")) return { kind: "refused", source, certificate, findings };
  if (findings.some(({ severity }) => severity === "hold")) {
    return { kind: "held", source, certificate, findings, untilMs: holdUntilMs(keypair) };
  }
  return { kind: "accepted", source, certificate, findings };
}
