import { createHash } from "node:crypto";
import type { LookupFunction } from "node:net";
import { TLSSocket } from "node:tls";
import { buildConnector } from "undici";

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
 * Connects for one request. Node's own check is switched off and done here, since a leaf of ours counts whatever its
 * chain, name and dates. No session is taken up again: such a session shows no certificate.
 */
export function createConnector(options: ConnectorOptions, hostname: string): buildConnector.connector {
  const { unixSocket, ca, serverName, trustedFingerprints } = options;
  const connect = buildConnector({
    rejectUnauthorized: false,
    allowH2: false,
    maxCachedSessions: 0,
    timeout: 0,
    ...(hostname === "localhost" ? { lookup: lookupLocalhost } : {}),
    ...(unixSocket === undefined ? {} : { socketPath: unixSocket }),
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  });
  return (target, callback) => {
    connect(target, (error, socket) => {
      if (error !== null) return callback(error, null);
      const objection = socket instanceof TLSSocket ? judgePeer(socket, trustedFingerprints()) : undefined;
      if (objection === undefined) return callback(null, socket);
      socket.destroy();
      callback(objection, null);
    });
  };
}

function judgePeer(socket: TLSSocket, trusted: readonly string[]): UntrustedCertificateError | undefined {
  if (socket.authorized) return undefined;
  const leaf = socket.getPeerX509Certificate();
  if (leaf !== undefined && trusted.includes(createHash("sha256").update(leaf.raw).digest("hex"))) return undefined;
  const error: unknown = socket.authorizationError;
  return new UntrustedCertificateError(error instanceof Error ? error.message : String(error));
}
