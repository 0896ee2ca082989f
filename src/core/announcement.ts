import type { CertificateFacts } from "./certificate-facts.ts";
import type { Finding } from "./finding.ts";
import type { ProbeResult } from "./probe-result.ts";
import type { ReloadOutcome } from "./reload-outcome.ts";
import type { EndpointState, Rotation, RotationCause, Verdict } from "./state.ts";
import type { VolumeSource } from "./volume-look.ts";

/** What people and metrics are told: the event vocabulary of the log. */
export type Announcement =
  | {
      readonly event: "keypair-accepted";
      readonly source: VolumeSource;
      readonly certificate: CertificateFacts;
      readonly findings: readonly Finding[];
    }
  | {
      readonly event: "keypair-held";
      readonly source: VolumeSource;
      readonly certificate: CertificateFacts;
      readonly findings: readonly Finding[];
      readonly untilMs: number;
    }
  | {
      readonly event: "keypair-refused";
      readonly source: VolumeSource;
      readonly certificate: CertificateFacts | undefined;
      readonly findings: readonly Finding[];
    }
  | { readonly event: "volume-missing"; readonly findings: readonly Finding[] }
  | { readonly event: "rotation-begun"; readonly cause: RotationCause; readonly certificate: CertificateFacts }
  | { readonly event: "rotation-ended"; readonly rotation: Rotation }
  | {
      readonly event: "reload-settled";
      readonly strategy: string;
      readonly attempt: number;
      readonly outcome: ReloadOutcome;
    }
  | {
      readonly event: "reload-scheduled";
      readonly strategy: string;
      readonly attempt: number;
      readonly delayMs: number;
      readonly because: string;
    }
  | { readonly event: "flip-flop"; readonly certificate: CertificateFacts }
  | {
      readonly event: "endpoint-probed";
      readonly endpoint: string;
      readonly verdict: Verdict;
      readonly result: ProbeResult;
    }
  | {
      readonly event: "verdict-changed";
      readonly endpoint: EndpointState;
      /** What the verdict rests on; absent where nothing was seen. */
      readonly certificate: CertificateFacts | undefined;
      readonly verdict: Verdict;
      readonly previous: Verdict | undefined;
    }
  | { readonly event: "confirmed"; readonly certificate: CertificateFacts }
  | { readonly event: "turned-stale"; readonly certificate: CertificateFacts; readonly unservedForMs: number };
