/** Why a reload could not be asked for, or was turned down. */
export type RefusalReason =
  | "no-process"
  | "ambiguous-process"
  | "process-namespace-not-shared"
  | "pid-file-unusable"
  | "wrapper-only"
  | "process-changed"
  | "not-permitted"
  | "signal-not-handled"
  | "signal-ignored"
  | "cancelled"
  | "configuration-test-failed"
  | "configuration-kept"
  | "connection-refused"
  | "connection-failed"
  | "certificate-not-trusted"
  | "credentials-unusable"
  | "redirected"
  | "client-error"
  | "server-error"
  | "unexpected-answer"
  | "command-not-started"
  | "command-failed"
  | "restart-too-soon"
  | "restart-in-progress"
  | "subpath-mount"
  | "fault";

/** How one reload ended. *Accepted* is the server's word, not success: only a probe knows success. */
export type ReloadOutcome =
  | {
      readonly kind: "accepted";
      readonly detail: string;
      /** Where present, the agent is to end itself with this status (`--reload exit`). */
      readonly exitStatus?: number;
    }
  | {
      readonly kind: "refused";
      readonly reason: RefusalReason;
      readonly detail: string;
      readonly hint?: string;
      /** Where it is known that a try before would be turned down, too. */
      readonly retryAfterMs?: number;
    }
  | { readonly kind: "timed-out"; readonly afterMs: number };
