import type { X509Certificate } from "node:crypto";
import type { ServingConfig } from "../config/config.ts";
import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { Finding } from "../core/finding.ts";
import type { VolumeLook, VolumeSource } from "../core/volume-look.ts";
import { holdUntilMs, nextVerdictChangeMs } from "../keypair/judge-dates.ts";
import { type Keypair, readKeypairFacts } from "../keypair/keypair.ts";
import { parseKeypair } from "../keypair/parse-keypair.ts";
import { rehearse } from "../keypair/rehearsal.ts";
import { validateKeypair } from "../keypair/validate-keypair.ts";
import type { Clock } from "../system/clock.ts";
import { readBounded } from "../system/read-bounded.ts";
import { readVolume, type VolumeRead } from "../volume/read-volume.ts";

/** Reads a volume and judges what lies there. */
export interface Looker {
  /** @param served what is served now, if that is known: an expired pair is worse than one that is valid */
  look(served: CertificateFacts | undefined): Promise<VolumeLook>;
  /** The certificates of the CA file of the last pair that could be parsed. */
  authorities(): readonly X509Certificate[];
}

interface Judged {
  readonly look: VolumeLook;
  readonly authorities: readonly X509Certificate[];
  /** When the dates change the verdict although the files stay, in milliseconds since the epoch. */
  readonly changesAtMs: number;
}

/** A looker that judges again only what has changed, and what time or the server may have made valid or invalid. */
export function createLooker(config: ServingConfig, clock: Clock): Looker {
  const { volume } = config;
  let last: Judged | undefined;
  let authorities: readonly X509Certificate[] = [];
  return {
    authorities: () => authorities,
    async look(served) {
      if (volume === undefined) throw new Error("there is no volume to look at");
      const read = await readVolume(volume);
      if (read.kind === "read" && last !== undefined && isStillAccepted(last, read.source, clock)) {
        // A certificate file may hold the key as well.
        for (const file of [read.key, read.certificate]) file?.fill(0);
        return { ...last.look, source: read.source };
      }
      last = await judgeRead(read, config, clock, served);
      if (last.authorities.length > 0) authorities = last.authorities;
      return last.look;
    },
  };
}

function isStillAccepted({ look, changesAtMs }: Judged, { contentHash }: VolumeSource, clock: Clock): boolean {
  return look.kind === "accepted" && look.source.contentHash === contentHash && clock.now().wallMs < changesAtMs;
}

/** What was refused is judged anew at each look: a passphrase file or the served certificate may have changed. */
const never = Number.POSITIVE_INFINITY;

async function judgeRead(
  read: VolumeRead,
  config: ServingConfig,
  clock: Clock,
  served: CertificateFacts | undefined,
): Promise<Judged> {
  const { source } = read;
  if (read.kind === "unreadable") {
    return { look: { kind: "missing", source, findings: read.findings }, authorities: [], changesAtMs: never };
  }
  const passphrase = await readPassphrase(config.passphraseFile);
  const { findings: remarks } = read;
  const parsed = parseKeypair({ ...read, bundle: config.isBundle, passphrase });
  passphrase?.fill(0);
  if (parsed.kind === "unusable") {
    const look: VolumeLook = {
      kind: "refused",
      source,
      certificate: parsed.certificate,
      findings: [...parsed.findings, ...remarks],
    };
    return { look, authorities: [], changesAtMs: never };
  }
  const { keypair } = parsed;
  return {
    look: await judgeKeypair(keypair, [...parsed.findings, ...remarks], source, config, clock, served),
    authorities: keypair.authorities,
    changesAtMs: nextVerdictChangeMs(keypair, config.keypair, clock.now().wallMs) ?? never,
  };
}

async function judgeKeypair(
  keypair: Keypair,
  parsed: readonly Finding[],
  source: VolumeSource,
  config: ServingConfig,
  clock: Clock,
  served: CertificateFacts | undefined,
): Promise<VolumeLook> {
  const certificate = readKeypairFacts(keypair);
  const policy = config.keypair;
  const known = [...parsed, ...validateKeypair(keypair, policy, clock.now().wallMs, served)];
  if (hasSeverity(known, "refuse")) return { kind: "refused", source, certificate, findings: known };
  const findings = [...known, ...(await rehearse(keypair, { ...policy, clock, known }))];
  if (hasSeverity(findings, "refuse")) return { kind: "refused", source, certificate, findings };
  if (hasSeverity(findings, "hold")) {
    return { kind: "held", source, certificate, findings, untilMs: holdUntilMs(keypair) };
  }
  return { kind: "accepted", source, certificate, findings };
}

function hasSeverity(findings: readonly Finding[], severity: Finding["severity"]): boolean {
  return findings.some((finding) => finding.severity === severity);
}

/** Far longer than what OpenSSL takes for a passphrase. */
const longestPassphrase = 16_384;

/** A passphrase that can't be read is like none: the key then turns out to be encrypted, and says so. */
async function readPassphrase(path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  const read = await readBounded(path, longestPassphrase);
  return read.kind === "content" ? read.bytes : undefined;
}
