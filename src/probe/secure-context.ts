import { constants } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { KeyType } from "../core/certificate-facts.ts";

/** A client's own certificate and key, as PEM. */
export interface ClientCertificate {
  readonly certificate: Buffer;
  readonly key: Buffer;
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

/** Every suite of TLS 1.3 (OpenSSL leaves out the last two by default), and every other that encrypts with a certificate. */
const ciphers = [
  "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256",
  "TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256",
  "ALL:!aNULL:!eNULL:!PSK:!SRP:@SECLEVEL=0",
].join(":");

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

/** What a ClientHello offers. */
export interface Offer {
  /** The signature algorithms of this key type alone; all of them when undefined. */
  readonly keyType: KeyType | undefined;
  /** Post-quantum groups as well. */
  readonly isPostQuantum: boolean;
}

/** What nearly every server takes something of. */
export const usual: Offer = { keyType: undefined, isPostQuantum: false };
/** All that OpenSSL has. */
export const everything: Offer = { keyType: undefined, isPostQuantum: true };

const shared = new Map<string, SecureContext>();

/** Whether an offer for this key type has less than one without a key type. */
export function narrowsAlgorithms(keyType: KeyType): boolean {
  return algorithmsOfType[keyType] !== undefined;
}

/**
 * A context to look at any server with: every TLS version and cipher that OpenSSL still has, however weak, since
 * nothing secret is ever sent over the connection. It trusts nobody: who would is judged apart from the handshake.
 *
 * @throws Error where certificate and key are no pair of PEM texts that OpenSSL takes
 */
export function getSecureContext(offer: Offer, client?: ClientCertificate): SecureContext {
  if (client !== undefined) {
    return createContext(offer, client);
  }
  const key = `${offer.keyType} ${offer.isPostQuantum}`;
  const known = shared.get(key) ?? createContext(offer);
  shared.set(key, known);
  return known;
}

function createContext({ keyType, isPostQuantum }: Offer, client?: ClientCertificate): SecureContext {
  const sigalgs = keyType === undefined ? undefined : algorithmsOfType[keyType];
  return createSecureContext({
    ca: [],
    minVersion: "TLSv1",
    ciphers,
    ecdhCurve: isPostQuantum ? `${groups}:${postQuantumGroups}` : groups,
    // Servers without RFC 5746 are still in use; OpenSSL 3 turns them away unless told otherwise.
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    ...(sigalgs === undefined ? {} : { sigalgs }),
    ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
  });
}
