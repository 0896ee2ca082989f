import { constants } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Offer } from "./offer.ts";

/** A client's own certificate and key, as PEM. */
export interface ClientCertificate {
  readonly certificate: Buffer;
  readonly key: Buffer;
}

/** Every suite of TLS 1.3 (OpenSSL leaves out the last two by default), and every other that encrypts with a certificate. */
const ciphers = [
  "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256",
  "TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256",
  "ALL:!aNULL:!eNULL:!PSK:!SRP:@SECLEVEL=0",
].join(":");

const shared = new Map<string, SecureContext>();

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
  const key = `${offer.signatureAlgorithms} ${offer.groups}`;
  const known = shared.get(key) ?? createContext(offer);
  shared.set(key, known);
  return known;
}

function createContext({ signatureAlgorithms, groups }: Offer, client?: ClientCertificate): SecureContext {
  return createSecureContext({
    ca: [],
    minVersion: "TLSv1",
    ciphers,
    ecdhCurve: groups,
    // Servers without RFC 5746 are still in use; OpenSSL 3 turns them away unless told otherwise.
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    ...(signatureAlgorithms === undefined ? {} : { sigalgs: signatureAlgorithms }),
    ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
  });
}
