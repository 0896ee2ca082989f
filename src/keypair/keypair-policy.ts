/** What the configuration asks of a pair. */
export interface KeypairPolicy {
  /** A leaf that ends sooner than this is refused. */
  readonly minValidityMs: number;
  /** A leaf that begins within this time is held until then; one that begins later is refused. */
  readonly clockSkewMs: number;
  /** DNS names and IP addresses that the leaf must cover; a wildcard must stand there as it is. */
  readonly requireNames: readonly string[];
  /** Refuse what doesn't verify against the CA file, or has none, rather than warn. */
  readonly requireTrust: boolean;
  /** Let an expired or temporary certificate replace what is served. */
  readonly allowExpired: boolean;
  /** Let keys and digests through that servers refuse at OpenSSL's security level 2. */
  readonly allowWeak: boolean;
}
