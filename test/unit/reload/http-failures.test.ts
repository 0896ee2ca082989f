import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { httpStrategy, startReloadEndpoint } from "../../support/reload-endpoint.ts";
import { until } from "../../support/until.ts";

const never = new AbortController().signal;

/** A server that does with each connection what it is told, and is none of HTTP's. */
async function startRawServer(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    openSockets: () => [...sockets].filter((socket) => !socket.destroyed).length,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function unusedPort(): Promise<number> {
  await using server = await startRawServer(() => undefined);
  return server.port;
}

describe("a server that isn't there", () => {
  test("is told from one that refuses, so that it is asked again soon", async () => {
    const port = await unusedPort();
    expect(await httpStrategy(port).reload(never)).toEqual({
      kind: "refused",
      reason: "connection-refused",
      detail: `POST http://127.0.0.1:${port}/-/reload: nobody listens there`,
      hint: "the server is starting, or listens elsewhere",
    });
  });

  test("is told on localhost too, where two addresses are tried", async () => {
    const url = new URL(`http://localhost:${await unusedPort()}/`);
    expect(await httpStrategy(1, { url }).reload(never)).toMatchObject({ reason: "connection-refused" });
  });

  test("is told where its unix socket is missing", async () => {
    expect(await httpStrategy(1, { unixSocket: "/nonexistent/admin.sock" }).reload(never)).toMatchObject({
      reason: "connection-refused",
      detail: expect.stringContaining("on /nonexistent/admin.sock: the socket isn't there"),
    });
  });

  test("is told from a name that doesn't resolve", async () => {
    const url = new URL("http://certhup.invalid/");
    expect(await httpStrategy(1, { url }).reload(never)).toMatchObject({
      reason: "connection-failed",
      hint: expect.stringContaining("resolve"),
    });
  });
});

describe("a server that takes its time", () => {
  test("and never answers costs no more than the time limit", async () => {
    await using server = await startRawServer((socket) => socket.resume());
    expect(await httpStrategy(server.port, { timeoutMs: 300 }).reload(never)).toEqual({
      kind: "timed-out",
      afterMs: 300,
    });
    await until(server.openSockets, (open) => open === 0);
  });

  test("over a body that trickles costs no more than the time limit", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => {
      const trickle = setInterval(() => response.write("."), 20);
      response.on("close", () => clearInterval(trickle));
    });
    const outcome = await httpStrategy(endpoint.port, { timeoutMs: 300 }).reload(never);
    expect(outcome).toEqual({ kind: "timed-out", afterMs: 300 });
  });

  test("over the TLS handshake costs no more than the time limit", async () => {
    await using server = await startRawServer((socket) => socket.resume());
    const url = new URL(`https://127.0.0.1:${server.port}/`);
    const outcome = await httpStrategy(1, { url, timeoutMs: 300 }).reload(never);
    expect(outcome).toEqual({ kind: "timed-out", afterMs: 300 });
    await until(server.openSockets, (open) => open === 0);
  });

  test("over redirects costs no more than the time limit in all", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => {
      setTimeout(() => response.writeHead(307, { location: "/" }).end(), 100);
    });
    const outcome = await httpStrategy(endpoint.port, { timeoutMs: 350, maxRedirects: 20 }).reload(never);
    expect(outcome).toEqual({ kind: "timed-out", afterMs: 350 });
  });

  test("is left at once when the reload is called off, which may have been too late", async () => {
    await using server = await startRawServer((socket) => socket.resume());
    const abort = new AbortController();
    const settled = httpStrategy(server.port).reload(abort.signal);
    await until(server.openSockets, (open) => open === 1);
    abort.abort();
    expect(await settled).toEqual({ kind: "timed-out", afterMs: expect.any(Number) });
  });
});

describe("a server that answers something else", () => {
  test("or hangs up is left to the probe: it may have reloaded", async () => {
    await using server = await startRawServer((socket) => socket.once("data", () => socket.destroy()));
    expect(await httpStrategy(server.port).reload(never)).toMatchObject({
      kind: "refused",
      reason: "connection-failed",
      detail: expect.stringContaining("the connection was closed before the answer"),
      hint: expect.stringContaining("probe"),
    });
  });

  test("is told not to speak HTTP", async () => {
    await using server = await startRawServer((socket) => socket.end("220 mail.example ESMTP\r\n"));
    expect(await httpStrategy(server.port).reload(never)).toMatchObject({
      reason: "unexpected-answer",
      detail: expect.stringContaining("the answer is not HTTP"),
    });
  });

  test("is told not to speak TLS", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end());
    const url = new URL(`https://127.0.0.1:${endpoint.port}/`);
    expect(await httpStrategy(1, { url }).reload(never)).toMatchObject({
      reason: "connection-failed",
      hint: expect.stringContaining("http://"),
    });
  });

  test("with endless headers is cut off", async () => {
    await using server = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const more = (): void => {
        while (socket.writable && socket.write(`X-Filler: ${"x".repeat(1_000)}\r\n`));
        socket.once("drain", more);
      };
      socket.once("data", more);
    });
    expect(await httpStrategy(server.port).reload(never)).toMatchObject({ kind: "refused" });
  });
});
