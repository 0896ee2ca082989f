/** What a fault can be. Stable under SemVer. */
export type CerthupErrorCode = "listen-failed" | "config-unusable" | "contract-broken";

/** A fault: something that isn't an ordinary day. Expected failures are values instead. */
export class CerthupError extends Error {
  readonly code: CerthupErrorCode;
  /** What to do about it. */
  readonly hint: string | undefined;

  constructor(
    code: CerthupErrorCode,
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "CerthupError";
    this.code = code;
    this.hint = options.hint;
  }
}
