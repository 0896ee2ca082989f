import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { isIPv6 } from "node:net";
import { CerthupError } from "../system/certhup-error.ts";
import type { Answer, Routes } from "./routes.ts";

/** The agent's own HTTP listener. */
export interface Listener {
  /** Where it listens, as a URL that reaches it from the same host. */
  readonly url: string;
  /** Stops listening and ends what is still open. */
  close(): Promise<void>;
}

/** Small limits: those who ask are the kubelet, Prometheus and a person. */
const limits = { maxHeaderSize: 8 * 1024, headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 15_000 };
const mostConnections = 64;

/**
 * Listens, without a host on every address: IPv6 with IPv4, or IPv4 alone where the machine has no IPv6.
 * @param fault told of an answer that could not be made, and of what befalls the listener later on
 * @throws CerthupError `listen-failed` if the address is taken or not this machine's
 */
export async function listen(
  { host, port }: { readonly host: string | undefined; readonly port: number },
  routes: Routes,
  fault: (error: unknown) => void,
): Promise<Listener> {
  const server = createServer(limits, (request, response) => {
    request.resume();
    const send = ({ status, contentType, body }: Answer): void => {
      response.writeHead(status, {
        "content-type": contentType,
        "content-length": Buffer.byteLength(body),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
      response.end(request.method === "HEAD" ? undefined : body);
    };
    routes(request.method ?? "GET", request.url ?? "/").then(send, (error: unknown) => {
      fault(error);
      send({ status: 500, contentType: "text/plain; charset=utf-8", body: "the answer could not be made\n" });
    });
  });
  keepNewest(server, mostConnections);
  if (host !== undefined) await bind(server, host, port);
  else await bind(server, "::", port).catch((error: unknown) => bindWithoutIPv6(server, port, error));
  server.on("error", fault);
  return { url: urlOf(server), close: () => close(server) };
}

/**
 * A new connection is never turned away: the one that was silent for longest gives its place. Who fills the listener
 * with connections must not be able to keep the kubelet out until it ends the pod. No timer is needed for it.
 */
function keepNewest(server: Server, most: number): void {
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    const [silent] = connections;
    if (connections.size > most) silent?.destroy();
  });
  server.on("request", ({ socket }) => {
    if (connections.delete(socket)) connections.add(socket);
  });
}

function bindWithoutIPv6(server: Server, port: number, error: unknown): Promise<void> {
  const cause = error instanceof CerthupError ? error.cause : undefined;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code !== "EAFNOSUPPORT" && code !== "EADDRNOTAVAIL") throw error;
  return bind(server, "0.0.0.0", port);
}

function bind(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (cause: NodeJS.ErrnoException): void => {
    const shown = isIPv6(host) ? `[${host}]` : host;
    reject(
      new CerthupError("listen-failed", `can't listen on ${shown}:${port}: ${cause.code ?? cause.message}`, {
        cause,
        hint: "choose a free address of this machine with --listen-address, for example :10087",
      }),
    );
  };
  server.once("error", fail);
  server.listen({ host, port }, () => {
    server.off("error", fail);
    resolve();
  });
  return promise;
}

function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  const reachable = address === "::" || address === "0.0.0.0" ? "127.0.0.1" : address;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}
