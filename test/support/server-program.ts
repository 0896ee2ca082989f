// Program: a TLS server with the habits of real ones, for one volume and one agent.
// Usage: server-program.ts DIRECTORY PORT PID-FILE [HABIT] [OPTIONS]
// OPTIONS are those of tls.createServer and of listen in one JSON object.
//   (none)    loads its keypair at start and on SIGHUP; what it can't load leaves the old one in place
//   deaf      says on SIGHUP that it reloads, and doesn't
//   closing   closes its port for a while on SIGHUP, then listens again with the new pair
//   rereading reads its files by itself, once in 700 ms
//   legacy    has no handler for SIGHUP: the signal would end it
//   draining  is legacy, and takes its time to end on SIGTERM
// On SIGUSR2 it goes back to the pair that it loaded first.
import { readFileSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { createServer } from "node:tls";

const [directory = "", port = "", pidFile = "", habit, optionsText = "{}"] = process.argv.slice(2);
const options = JSON.parse(optionsText);
const closedMs = 1_200;
const rereadMs = 700;
const drainMs = 3_000;

interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

function load(): Pair {
  const pair = { cert: readFileSync(join(directory, "tls.crt")), key: readFileSync(join(directory, "tls.key")) };
  return { ...options, ...pair };
}

process.title = "staged-server";
const first = load();
const sockets = new Set<Socket>();
const server = createServer(first);
// A probe hangs up as soon as it has seen the certificate.
server.on("tlsClientError", (_, socket) => socket.destroy());
server.on("secureConnection", (socket) => socket.on("error", () => socket.destroy()).resume());
server.on("connection", (socket: Socket) => {
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
});

if (habit === "draining") process.on("SIGTERM", onTerminate);
else if (habit !== "legacy") process.on("SIGHUP", onReload);
process.on("SIGUSR2", () => {
  server.setSecureContext(first);
  console.log("went back");
});
if (habit === "rereading") setInterval(loadAgain, rereadMs);
server.listen({ port: Number(port), host: "127.0.0.1", ...options }, () => {
  writeFileSync(pidFile, `${process.pid}\n`);
  console.log("listening");
});

function onTerminate(): void {
  console.log("told to end");
  setTimeout(() => process.exit(0), drainMs);
}

function onReload(): void {
  console.log("told to reload");
  if (habit === "closing") closeForAWhile();
  else if (habit !== "deaf") loadAgain();
}

function closeForAWhile(): void {
  server.close();
  for (const socket of sockets) socket.destroy();
  setTimeout(() => {
    loadAgain();
    server.listen(Number(port), "127.0.0.1");
  }, closedMs);
}

/** Reads one file after the other, as servers do: in the middle of a swap it may get a torn pair. */
function loadAgain(): void {
  try {
    server.setSecureContext(load());
  } catch (error) {
    console.log(`keeps what it had: ${error}`);
  }
}
