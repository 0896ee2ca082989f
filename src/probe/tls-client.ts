import type { Socket } from "node:net";
import { connect, type DetailedPeerCertificate, type SecureContext, type TLSSocket } from "node:tls";
import type { Clock } from "../system/clock.ts";
import { type Failure, isAboutClientCertificate } from "./failure.ts";
import { type PresentedChain, takePresentedChain } from "./presented-chain.ts";

/** What the server presented, or why nothing was seen. */
export type HandshakeOutcome =
  | {
      readonly kind: "presented";
      readonly chain: PresentedChain;
      readonly protocol: string;
      readonly cipher: string;
      /** The stapled OCSP response (RFC 6066 section 8), DER. */
      readonly staple: Buffer | undefined;
    }
  | ({ readonly kind: "unreachable" } & Failure);

/** How to speak TLS over a connection. */
export interface TlsClientOptions {
  readonly secureContext: SecureContext;
  readonly serverName: string | undefined;
  /** Fingerprints of the chain in the volume, as in `CertificateFacts.chain`. */
  readonly expectedChain: readonly string[] | undefined;
}

/** What becomes of the handshake; after `onSeen` an error or the close may still follow. */
export interface TlsClientListener {
  onSeen(outcome: HandshakeOutcome): void;
  onError(error: Error): void;
  onClose(): void;
  describePlace(): string;
}

const noPeer = {} as DetailedPeerCertificate;

/** Sends a ClientHello that asks for a new session and believes in nobody, and takes what the server presents. */
export function startTlsClient(
  connection: Socket,
  options: TlsClientOptions,
  clock: Clock,
  listener: TlsClientListener,
): TLSSocket {
  const socket = connect({
    socket: connection,
    secureContext: options.secureContext,
    rejectUnauthorized: false,
    requestOCSP: true,
    checkServerIdentity: () => undefined,
    ...(options.serverName === undefined ? {} : { servername: options.serverName }),
  });
  // Where the path verifies, Node reads the peer in the form that an odd key can end the process with.
  socket.getPeerCertificate = () => noPeer;
  // The certificate shown may depend on the name that was asked for.
  const place = `${listener.describePlace()} ${options.serverName ?? ""}`;
  let staple: Buffer | undefined;
  let isSeen = false;
  const see = (outcome: HandshakeOutcome): void => {
    isSeen = true;
    listener.onSeen(outcome);
  };
  const present = (chain: PresentedChain): HandshakeOutcome => ({
    kind: "presented",
    chain,
    protocol: socket.getProtocol() ?? "unknown",
    cipher: socket.getCipher()?.standardName ?? "unknown",
    staple,
  });

  socket.on("OCSPResponse", (response: Buffer | null) => {
    staple = response ?? undefined;
  });
  socket.once("secureConnect", () => {
    if (socket.isSessionReused()) {
      const detail = `${listener.describePlace()} resumed an earlier session, which shows no certificate`;
      return see({ kind: "unreachable", reason: "resumed-session", detail });
    }
    const chain = takeChain(socket, place, options.expectedChain, clock);
    const detail = `${listener.describePlace()} finished the handshake without a certificate that can be read`;
    see(chain === undefined ? { kind: "unreachable", reason: "handshake-failed", detail } : present(chain));
  });
  socket.on("error", (error) => {
    // Up to TLS 1.2 a server judges the client's certificate before the handshake is over, but after its own was seen
    // and its signature checked. TLS 1.3 ends the handshake first.
    const isJudged = !isSeen && socket.getProtocol() !== "TLSv1.3" && isAboutClientCertificate(error);
    const chain = isJudged ? takeChain(socket, place, options.expectedChain, clock) : undefined;
    if (chain !== undefined) {
      see(present(chain));
    }
    listener.onError(error);
  });
  socket.on("close", () => listener.onClose());
  return socket;
}

/** Undefined as well for a certificate that OpenSSL took for the handshake and yet can't be decoded. */
function takeChain(
  socket: TLSSocket,
  place: string,
  expectedChain: readonly string[] | undefined,
  clock: Clock,
): PresentedChain | undefined {
  try {
    return takePresentedChain(socket, place, expectedChain, clock.now().monotonicMs);
  } catch {
    // Said to the operator as a handshake without a usable certificate.
    return undefined;
  }
}
