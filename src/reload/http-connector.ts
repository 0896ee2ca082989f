import { createHash } from "node:crypto";
import { connect as connectPlain, isIP, type LookupFunction } from "node:net";
import {
  type ConnectionOptions,
  connect as connectSecure,
  type DetailedPeerCertificate,
  type TLSSocket,
} from "node:tls";
import type { buildConnector } from "undici";

/** How the endpoint is reached, and what it may show: `ca` holds roots in PEM, those of Node when undefined. */
export interface ConnectorOptions {
  readonly unixSocket: string | undefined;
  readonly ca: string | undefined;
  readonly serverName: string | undefined;
  readonly trustedFingerprints: () => readonly string[];
}

/** The endpoint showed a certificate that neither verifies nor is one of ours. */
export class UntrustedCertificateError extends Error {
  override readonly name = "UntrustedCertificateError";
}

/** `localhost` is 127.0.0.1, then ::1, whatever the resolver says of it first. */
const lookupLocalhost: LookupFunction = (_hostname, options, answer) => {
  if (options.all === true) {
    answer(null, [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ]);
  } else {
    answer(null, "127.0.0.1", 4);
  }
};

/**
 * Connects for one request, and stops at once when it is called off. Node's own check of the certificate is switched
 * off and done here, since a leaf of ours counts whatever its chain, name and dates.
 */
export function createConnector(options: ConnectorOptions, abort: AbortSignal): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const isSecure = protocol === "https:";
    const where = {
      host: hostname,
      port: Number(port) || (isSecure ? 443 : 80),
      ...(hostname === "localhost" ? { lookup: lookupLocalhost } : {}),
      ...(options.unixSocket === undefined ? {} : { path: options.unixSocket }),
    };
    const name = options.serverName ?? hostname;
    const socket = isSecure ? connectSecurely({ ...where, ...secureOptions(options, name) }) : connectPlain(where);
    const onAbort = (): unknown => socket.destroy(new Error("called off"));
    const settle = (error: Error | undefined): void => {
      abort.removeEventListener("abort", onAbort);
      socket.off("error", settle);
      if (error === undefined) {
        callback(null, socket);
      } else {
        socket.on("error", () => socket.destroy()).destroy();
        callback(error, null);
      }
    };
    abort.addEventListener("abort", onAbort, { once: true });
    socket.once("error", settle);
    if (isSecure) {
      socket.once("secureConnect", () => settle(judgePeer(socket as TLSSocket, name, options.trustedFingerprints())));
    } else {
      socket.once("connect", () => settle(undefined));
    }
  };
}

/**
 * Where the path verifies, Node reads the peer by `getPeerCertificate`, which ends the process for an EC key on a curve
 * without a NIST name (seen with Node 24.21, brainpoolP256r1): so it gets nothing, and the name is checked here.
 */
function connectSecurely(options: ConnectionOptions): TLSSocket {
  const socket = connectSecure(options);
  socket.getPeerCertificate = () => ({}) as DetailedPeerCertificate;
  return socket;
}

function secureOptions({ ca }: ConnectorOptions, name: string): ConnectionOptions {
  return {
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    ALPNProtocols: ["http/1.1"],
    // RFC 6066, section 3: an address is no server name.
    servername: isIP(name) === 0 ? name : "",
    ...(ca === undefined ? {} : { ca }),
  };
}

function judgePeer(socket: TLSSocket, name: string, trusted: readonly string[]): UntrustedCertificateError | undefined {
  const leaf = socket.getPeerX509Certificate();
  const isForName = leaf !== undefined && (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined;
  if (socket.authorized && isForName) return undefined;
  if (leaf !== undefined && trusted.includes(createHash("sha256").update(leaf.raw).digest("hex"))) return undefined;
  if (socket.authorized) return new UntrustedCertificateError(`it is not for ${name}`);
  const error: unknown = socket.authorizationError;
  return new UntrustedCertificateError(error instanceof Error ? error.message : String(error));
}
