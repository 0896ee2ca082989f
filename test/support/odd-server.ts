import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { RunningServer } from "./tls-server.ts";

/** A TCP server whose connections are in the hands of a test. */
export interface OddServer extends RunningServer {
  /** Connections that are still open. */
  readonly sockets: ReadonlySet<Socket>;
  /** How many connections there were so far. */
  readonly count: () => number;
}

/** Starts a server on a free port of 127.0.0.1 that does to each connection whatever the test says. */
export async function startOddServer(
  behave: (socket: Socket) => void,
  host = "127.0.0.1",
  wantedPort = 0,
): Promise<OddServer> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // The other side may hang up at any moment.
    socket.on("error", () => socket.destroy());
    behave(socket);
    // Who doesn't read never learns that the other side hung up.
    socket.resume();
  });
  server.listen(wantedPort, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    address: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
    sockets,
    count: () => count,
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
