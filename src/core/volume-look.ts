import type { CertificateFacts } from "./certificate-facts.ts";
import type { Finding } from "./finding.ts";

/** Where a look found its files. */
export interface VolumeSource {
  /** Name of the published content: the kubelet's timestamped directory, or `-` where the layout has none. */
  readonly generation: string;
  /** True where the writer publishes all files in one step, so that what was read can't be half written. */
  readonly isAtomic: boolean;
  /** SHA-256 over every watched file, 64 lower-case hex digits; empty where nothing could be read. */
  readonly contentHash: string;
}

/** What one look at a volume found, already judged. */
export type VolumeLook =
  | {
      readonly kind: "accepted";
      readonly source: VolumeSource;
      readonly certificate: CertificateFacts;
      readonly findings: readonly Finding[];
    }
  | {
      /** Valid but for its beginning: look again at `untilMs` (milliseconds since the epoch). */
      readonly kind: "held";
      readonly source: VolumeSource;
      readonly certificate: CertificateFacts;
      readonly findings: readonly Finding[];
      readonly untilMs: number;
    }
  | {
      readonly kind: "refused";
      readonly source: VolumeSource;
      readonly certificate: CertificateFacts | undefined;
      readonly findings: readonly Finding[];
    }
  | {
      /** Nothing to judge: absent, empty or unreadable; the findings say which. */
      readonly kind: "missing";
      readonly source: VolumeSource;
      readonly findings: readonly Finding[];
    };
