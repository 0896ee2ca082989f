/** Why a reload could not be asked for, or was turned down. */
export type RefusalReason =
  | "no-process"
  | "ambiguous-process"
  | "process-namespace-not-shared"
  | "pid-file-unusable"
  | "process-changed"
  | "not-permitted"
  | "signal-not-handled"
  | "signal-ignored";

/** How one reload ended. *Accepted* is the server's word, not success: only a probe knows success. */
export type ReloadOutcome =
  | { readonly kind: "accepted"; readonly detail: string }
  | {
      readonly kind: "refused";
      readonly reason: RefusalReason;
      readonly detail: string;
      readonly hint?: string;
    }
  | { readonly kind: "timed-out"; readonly afterMs: number };
