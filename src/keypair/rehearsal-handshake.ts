import type { KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import {
  connect,
  createSecureContext,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type SecureContext,
  type SecureVersion,
  TLSSocket,
} from "node:tls";
import type { Clock } from "../system/clock.ts";
import { encodeCertificates, encodePrivateKey } from "./encode-pem.ts";
import { readReason } from "./read-certificates.ts";

/** What one rehearsed handshake needs. */
export interface HandshakeRequest {
  readonly leaf: X509Certificate;
  readonly chain: readonly X509Certificate[];
  readonly authorities: readonly X509Certificate[];
  readonly privateKey: KeyObject;
  readonly names: readonly string[];
  readonly allowWeak: boolean;
}

/** What the client of a rehearsed handshake says. */
export type ClientVerdict =
  | {
      readonly kind: "connected";
      /** OpenSSL's name for what is wrong with the path to the CA file; undefined when nothing is, or without one. */
      readonly trustError: string | undefined;
      readonly rejectedNames: readonly string[];
    }
  | { readonly kind: "failed"; readonly detail: string };

/** In memory a handshake takes milliseconds; a side that waits for more than this never ends by itself. */
const handshakeLimitMs = 5000;

const noPeer: PeerCertificate & DetailedPeerCertificate = Object.create(null);

/** One handshake in memory under exactly this version. Both sides are ended afterwards, whatever comes out. */
export async function rehearseHandshake(
  request: HandshakeRequest,
  version: SecureVersion,
  clock: Clock,
): Promise<ClientVerdict> {
  const contexts = createContexts(request, version);
  return "detail" in contexts ? { kind: "failed", detail: contexts.detail } : shakeHands(contexts, request, clock);
}

interface Contexts {
  readonly server: SecureContext;
  readonly client: SecureContext;
}

function createContexts(request: HandshakeRequest, version: SecureVersion): Contexts | { detail: string } {
  const versions = { minVersion: version, maxVersion: version };
  const strength = request.allowWeak ? { ciphers: "DEFAULT@SECLEVEL=0" } : {};
  const key = encodePrivateKey(request.privateKey);
  try {
    const cert = encodeCertificates(request.chain);
    const ca = request.authorities.length === 0 ? [] : encodeCertificates(request.authorities);
    return {
      server: createSecureContext({ ...versions, ...strength, cert, key, ca: [] }),
      client: createSecureContext({ ...versions, ...strength, ca, allowPartialTrustChain: true }),
    };
  } catch (error) {
    return { detail: readReason(error) };
  } finally {
    key.fill(0);
  }
}

function shakeHands(contexts: Contexts, request: HandshakeRequest, clock: Clock): Promise<ClientVerdict> {
  const [clientSide, serverSide] = duplexPair();
  return new Promise((resolve) => {
    const sockets: Duplex[] = [clientSide, serverSide];
    let serverError: unknown;
    const settle = (verdict: ClientVerdict): void => {
      cancel();
      for (const socket of sockets) {
        socket.destroy();
      }
      resolve(verdict);
    };
    const cancel = clock.after(handshakeLimitMs, () => settle({ kind: "failed", detail: "the handshake did not end" }));
    const fail = (error: unknown): void => settle({ kind: "failed", detail: readReason(serverError ?? error) });
    const server = new TLSSocket(serverSide, { isServer: true, secureContext: contexts.server });
    server.on("error", (error) => {
      serverError ??= error;
    });
    const client = connect({
      socket: clientSide,
      secureContext: contexts.client,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      ...chooseServerName(request.names),
    });
    // Where the path verifies, Node reads the old object form of every certificate, whoever checks the identity; that
    // ends the process for EC keys on a curve without a NIST name (seen with Node 24.21, brainpoolP256r1).
    client.getPeerCertificate = () => noPeer;
    sockets.push(server, client);
    client.on("error", fail);
    client.once("close", () => fail(new Error("the connection was closed")));
    client.once("secureConnect", () => settle(judge(client, request)));
  });
}

function judge(client: TLSSocket, { leaf, authorities, names }: HandshakeRequest): ClientVerdict {
  const authorizationError: unknown = client.authorizationError;
  const hasTrust = authorities.length > 0 && authorizationError !== undefined && authorizationError !== null;
  return {
    kind: "connected",
    trustError: hasTrust ? toCode(authorizationError) : undefined,
    rejectedNames: names.filter((name) => !isAccepted(leaf, name)),
  };
}

/** OpenSSL's own matching, with the rules of today's clients: no common name, no wildcard within a label. */
function isAccepted(leaf: X509Certificate, name: string): boolean {
  return isIP(name) === 0
    ? leaf.checkHost(name, { subject: "never", partialWildcards: false }) !== undefined
    : leaf.checkIP(name) !== undefined;
}

/** Node tells the reason as an error or as its code alone, depending on where it arose. */
function toCode(error: unknown): string {
  return error instanceof Error ? ("code" in error ? String(error.code) : error.message) : String(error);
}

function chooseServerName(names: readonly string[]): { servername?: string } {
  const host = names.find((name) => isIP(name) === 0);
  return host === undefined ? {} : { servername: host };
}
