import type { KeypairPolicy } from "../../src/keypair/keypair-policy.ts";

/** What holds when nothing is configured. */
export const defaultKeypairPolicy: KeypairPolicy = {
  minValidityMs: 0,
  clockSkewMs: 5 * 60_000,
  requireNames: [],
  requireTrust: false,
  allowExpired: false,
  allowWeak: false,
};
