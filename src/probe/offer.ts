import type { KeyType } from "../core/certificate-facts.ts";
import type { UnreachableReason } from "../core/probe-result.ts";
import type { Failure } from "./failure.ts";

/** What a ClientHello offers beside versions and ciphers, of which it always offers all; in the words of OpenSSL. */
export interface Offer {
  /** All that OpenSSL has when undefined. */
  readonly signatureAlgorithms: string | undefined;
  readonly groups: string;
}

const rsaAlgorithms =
  "rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:RSA+SHA256:RSA+SHA384:RSA+SHA512:RSA+SHA224:RSA+SHA1";
const ecdsaAlgorithms = "ecdsa_secp256r1_sha256:ecdsa_secp384r1_sha384:ecdsa_secp521r1_sha512:ECDSA+SHA224:ECDSA+SHA1";

const algorithmsOfType: Record<KeyType, string | undefined> = {
  rsa: rsaAlgorithms,
  "rsa-pss": "rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512",
  "ec-p256": ecdsaAlgorithms,
  "ec-p384": ecdsaAlgorithms,
  "ec-p521": ecdsaAlgorithms,
  "ec-other": ecdsaAlgorithms,
  ed25519: "ed25519",
  ed448: "ed448",
  other: undefined,
};

/**
 * Every group of before the quantum computer that a server may insist on, or have the key of its certificate on. OpenSSL
 * sends a key share for the first alone, so that the ClientHello fits into one packet: old servers stumble over a longer
 * one.
 */
const groups = [
  "X25519:P-256:P-384:P-521:X448",
  "ffdhe2048:ffdhe3072:ffdhe4096:ffdhe6144:ffdhe8192",
  "brainpoolP256r1tls13:brainpoolP384r1tls13:brainpoolP512r1tls13",
  "brainpoolP256r1:brainpoolP384r1:brainpoolP512r1:secp256k1:P-224",
].join(":");
/** A server that prefers one of these would ask for its key share first. Nothing secret is sent: they are offered last. */
const postQuantumGroups = "X25519MLKEM768:SecP256r1MLKEM768:SecP384r1MLKEM1024";

/** What nearly every server takes something of. */
const usual: Offer = { signatureAlgorithms: undefined, groups };
/** All that OpenSSL has. */
export const everything: Offer = { ...usual, groups: `${groups}:${postQuantumGroups}` };

/** The offers to make in turn, each where the one before was refused: it has more. The first may be for one key type. */
export function chooseOffers(preferKeyType: KeyType | undefined): readonly [Offer, ...Offer[]] {
  const signatureAlgorithms = preferKeyType && algorithmsOfType[preferKeyType];
  return signatureAlgorithms === undefined
    ? [usual, everything]
    : [{ ...usual, signatureAlgorithms }, usual, everything];
}

/** The reasons for which a server may have turned away the signature algorithms of one key type. */
const keyTypeRefused = new Set<UnreachableReason>(["handshake-failed", "closed-early", "server-name-rejected"]);

/** May the server have failed because it found nothing in the offer that it could take? */
export function isRefused({ signatureAlgorithms }: Offer, failure: Failure): boolean {
  return failure.isOfferRefused === true || (signatureAlgorithms !== undefined && keyTypeRefused.has(failure.reason));
}
