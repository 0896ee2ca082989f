import { once } from "node:events";
import type { AddressInfo, ListenOptions, Socket } from "node:net";
import { createServer, type TLSSocket, type TlsOptions } from "node:tls";
import type { IssuedCertificate } from "./certificates.ts";

/** A server that runs until it is disposed of: `await using server = …`. */
export interface RunningServer extends AsyncDisposable {
  readonly port: number;
  /** `127.0.0.1:8443`, ready to be parsed as an endpoint. */
  readonly address: string;
}

/** A TLS server, and what its clients asked for. */
export interface TlsServer extends RunningServer {
  /** The SNI of each connection so far; the empty string where none was sent. */
  readonly serverNames: readonly string[];
  /** Serves this from the next handshake on. */
  serve(pair: { readonly cert: string; readonly key: string }): void;
  /** Calls back for each handshake that was finished. */
  onSecure(listener: (socket: TLSSocket) => void): void;
}

/**
 * Starts a TLS server on a free port of 127.0.0.1, or of `host`.
 *
 * @param staple OCSP response to staple
 */
export async function startTlsServer(
  pair: Pick<IssuedCertificate, "certificatePem" | "keyPem">,
  options: TlsOptions & Pick<ListenOptions, "host" | "port" | "reusePort"> = {},
  staple?: Buffer,
): Promise<TlsServer> {
  const { host = "127.0.0.1", port: wantedPort = 0, reusePort = false, ...tlsOptions } = options;
  const serverNames: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ cert: pair.certificatePem, key: pair.keyPem, ...tlsOptions }, (socket) => {
    serverNames.push(socket.servername || "");
    // A probe hangs up as soon as it has seen the certificate.
    socket.on("error", () => socket.destroy());
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  if (staple !== undefined) {
    server.on("OCSPRequest", (_certificate, _issuer, respond) => respond(null, staple));
  }
  server.listen({ port: wantedPort, host, reusePort });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    address: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
    serverNames,
    serve: (next) => server.setSecureContext(next),
    onSecure: (listener) => {
      server.on("secureConnection", listener);
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
      await closed;
    },
  };
}
