import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { AddressInfo, ListenOptions, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createHttpStrategy } from "../../src/reload/http.ts";
import type { HttpStrategyOptions } from "../../src/reload/http-options.ts";
import type { ReloadStrategy } from "../../src/reload/reload-strategy.ts";
import { systemClock } from "../../src/system/clock.ts";

/** One request as it came in. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A reload endpoint that keeps what it was asked, and hangs up when disposed of. */
export interface ReloadEndpoint extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly SeenRequest[];
}

export interface EndpointOptions {
  /** Serves TLS with these when present. */
  readonly tls?: ServerOptions;
  /** A free port of 127.0.0.1 when absent. */
  readonly listen?: ListenOptions;
}

/** Starts a server that answers as told, once it has read the whole request. */
export async function startReloadEndpoint(
  answer: RequestListener,
  { tls, listen = { host: "127.0.0.1", port: 0 } }: EndpointOptions = {},
): Promise<ReloadEndpoint> {
  const requests: SeenRequest[] = [];
  const onRequest: RequestListener = async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    requests.push({ method, path, headers, body: await text(request) });
    answer(request, response);
  };
  const server = tls === undefined ? createServer(onRequest) : createSecureServer(tls, onRequest);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(listen);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "string" ? 0 : (address as AddressInfo).port,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A POST to `/-/reload` on this port of 127.0.0.1 that wants a 2xx within five seconds, but for the options. */
export function httpStrategy(port: number, options: Partial<HttpStrategyOptions> = {}): ReloadStrategy {
  return createHttpStrategy({
    url: new URL(`http://127.0.0.1:${port}/-/reload`),
    method: "POST",
    headers: [],
    expectedStatuses: [{ from: 200, to: 299 }],
    maxRedirects: 0,
    timeoutMs: 5_000,
    clock: systemClock,
    ...options,
  });
}
