import { once } from "node:events";
import { connect, type Socket } from "node:net";
import process from "node:process";
import { startChild } from "./child.ts";
import type { RunningServer } from "./tls-server.ts";

/** The length to give to `listen` for a queue that {@link fillQueue} can fill. */
export const shortQueue = 1;

const listening = `
  const server = require("node:net").createServer();
  server.listen({ host: "127.0.0.1", port: 0, backlog: ${shortQueue} }, () => console.log(server.address().port));
`;

/** Starts a server so busy that the kernel drops whoever wants to connect: it is stopped, and its queue is full. */
export async function startBusyServer(): Promise<RunningServer> {
  const child = startChild(process.execPath, ["--eval", listening]);
  const [port = ""] = await child.untilOutput(/\d+(?=\n)/);
  child.kill("SIGSTOP");
  const waiting = await fillQueue("127.0.0.1", Number(port));
  return {
    port: Number(port),
    address: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy();
      child.kill("SIGKILL");
      await child.ended;
    },
  };
}

/** Fills the queue of a listener that accepts nobody; it takes one connection more than its length (listen(2)). */
export async function fillQueue(host: string, port: number): Promise<readonly Socket[]> {
  const waiting = Array.from({ length: shortQueue + 1 }, () => connect({ host, port }));
  await Promise.all(waiting.map((socket) => once(socket, "connect")));
  for (const socket of waiting) socket.on("error", () => socket.destroy());
  return waiting;
}
