/** What a finding does: `refuse` stops the pair, `hold` delays it, `warn` only tells. */
export type Severity = "refuse" | "hold" | "warn";

/**
 * One named reason against a keypair, a mount or a process.
 *
 * `code` is for machines and stable under SemVer; `message` is a sentence with the actual values, lower case and
 * without a full stop; `hint` says what to do about it. None of them ever holds file contents.
 */
export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
}
