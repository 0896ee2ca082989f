import type { Instant } from "../system/clock.ts";
import type { CertificateFacts } from "./certificate-facts.ts";
import type { HandshakeReport, UnreachableReason } from "./probe-result.ts";
import type { VolumeLook, VolumeSource } from "./volume-look.ts";

/** What is served, compared with what is in the volume; `valid` where there is nothing to compare with. */
export type Verdict = "match" | "valid" | "stale" | "foreign" | "expired" | "unreachable";

/** The last answer that was taken from the volume; `unread` until the first one. */
export type VolumeState = { readonly kind: "unread" } | VolumeLook;

/** A content that differs from the one taken up, and is watched until it rests. */
export interface Settling {
  readonly contentHash: string;
  /** When this content was first seen, monotonic. */
  readonly sinceMs: number;
  /** When the volume first differed from the content taken up. */
  readonly unsettledSince: Instant;
  /** When to look again, monotonic. */
  readonly dueMs: number;
}

/** The last accepted pair: what ought to be served. */
export interface Wanted {
  readonly source: VolumeSource;
  readonly certificate: CertificateFacts;
  /** True once it was seen served as often as the policy asks, or, without endpoints, once a reload was accepted. */
  readonly isConfirmed: boolean;
}

/** What the last probe of one endpoint said; `unprobed` until the first one. */
export type EndpointState =
  | { readonly kind: "unprobed"; readonly endpoint: string }
  | {
      readonly kind: "served";
      readonly endpoint: string;
      readonly certificate: CertificateFacts;
      /** What other addresses of the endpoint showed, where they showed something else. */
      readonly alsoServed: readonly CertificateFacts[];
      readonly protocol: string;
      readonly report: HandshakeReport;
      /** Milliseconds since the epoch. */
      readonly probedAt: number;
    }
  | {
      readonly kind: "unreachable";
      readonly endpoint: string;
      readonly reason: UnreachableReason;
      readonly detail: string;
      /** Milliseconds since the epoch. */
      readonly probedAt: number;
    };

/** One try to tell the server: which rung of the ladder, and which attempt on it, from 1. */
export interface Try {
  readonly rung: number;
  readonly attempt: number;
}

/** What the target is busy with. Exactly one thing, so that at most one reload runs. */
export type Work =
  | { readonly kind: "idle" }
  | { readonly kind: "reloading"; readonly current: Try; readonly contentHash: string }
  | { readonly kind: "verifying"; readonly current: Try; readonly sinceMs: number; readonly deadlineMs: number }
  | { readonly kind: "backing-off"; readonly next: Try; readonly untilMs: number; readonly because: string };

/** Why a rotation was begun: the volume changed, or a probe found another certificate than the wanted one. */
export type RotationCause = "renewal" | "start" | "drift";

/** How a rotation ended: proved, taken on the reload's word, overtaken by newer content, or turned down at once. */
export type RotationOutcome = "confirmed" | "unverified" | "superseded" | "refused";

/** One keypair's way from seen in the volume to confirmed on the wire. Times in milliseconds since the epoch. */
export interface Rotation {
  readonly cause: RotationCause;
  /** False where no handshake can show the change, as of the CA file alone: then the reload must have been accepted. */
  readonly isVisible: boolean;
  readonly generation: string;
  readonly fingerprint: string | undefined;
  readonly notAfter: number | undefined;
  readonly seenAt: number;
  /** The same moment on the monotonic clock, for durations. */
  readonly seenMs: number;
  readonly reloadSentAt: number | undefined;
  readonly reloads: number;
  readonly firstServedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly outcome: RotationOutcome | undefined;
  /** Swap to end, measured on the monotonic clock. */
  readonly durationMs: number | undefined;
}

/** When the endpoints are probed next, and which answers count. */
export interface ProbeSchedule {
  readonly isInFlight: boolean;
  /** The number of the last round that was sent. */
  readonly round: number;
  /** Rounds below this one were sent before the last reload and prove nothing of it. */
  readonly countsFrom: number;
  /** Monotonic; `undefined` while a round is in flight, or where there is nothing to probe. */
  readonly dueMs: number | undefined;
}

/** Everything the core knows of one target. Plain data: printable, comparable, free of key material. */
export interface TargetState {
  readonly volume: VolumeState;
  readonly settling: Settling | undefined;
  /** True from asking for a look until its answer. */
  readonly isLookPending: boolean;
  /** After a look that failed: when the next one may be asked for, monotonic. */
  readonly lookNotBeforeMs: number | undefined;
  readonly wanted: Wanted | undefined;
  /** Pairs that were wanted before, newest first, at most 20. */
  readonly earlier: readonly CertificateFacts[];
  /** One for each endpoint of the policy, in its order. */
  readonly endpoints: readonly EndpointState[];
  readonly work: Work;
  readonly probe: ProbeSchedule;
  /** Consecutive counted rounds in which every endpoint showed the wanted certificate. */
  readonly confirmations: number;
  /** Consecutive counted rounds in which an endpoint showed another certificate. */
  readonly mismatches: number;
  /** Since when something else than the wanted certificate is served, or can't be ruled out; monotonic. */
  readonly unservedSinceMs: number | undefined;
  /** Since when an endpoint can't be probed; monotonic. */
  readonly unreachableSinceMs: number | undefined;
  /** True once the end of the stale grace was announced. */
  readonly isStaleAnnounced: boolean;
  readonly lastReload: LastReload | undefined;
  /** When the last reload was sent, monotonic. */
  readonly reloadSentMs: number | undefined;
  /** Content hashes of the last accepted pairs, newest first, at most 4. */
  readonly recentContents: readonly string[];
  readonly rotation: Rotation | undefined;
  /** Ended rotations, newest first, at most 20. */
  readonly rotations: readonly Rotation[];
  readonly isStopping: boolean;
}

/** How the last reload ended, kept for people who ask why nothing happened. */
export interface LastReload {
  readonly strategy: string;
  readonly outcome: "accepted" | "refused" | "timed-out";
  readonly reason: string | undefined;
  readonly detail: string;
  readonly hint: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}
