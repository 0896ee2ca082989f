// An HTTPS server as there are many: it loads its keypair at start and again on SIGHUP, never by itself.
// Usage: legacy-server.ts DIRECTORY PORT PID-FILE [--ignore-hup]
// With --ignore-hup its handler for SIGHUP changes nothing, as in servers that log "reloaded" and aren't.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";

const [directory = ".", port = "0", pidFile = "server.pid", mode] = process.argv.slice(2);

function load(): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(join(directory, "tls.crt")), key: readFileSync(join(directory, "tls.key")) };
}

process.title = "legacy-server";
const server = createServer(load(), (_, response) => response.end("hello\n"));
process.on("SIGHUP", () => {
  if (mode !== "--ignore-hup") server.setSecureContext(load());
  console.log("reloaded");
});
server.listen(Number(port), "127.0.0.1", () => {
  writeFileSync(pidFile, `${process.pid}\n`);
  console.log(`listening on ${(server.address() as AddressInfo).port}`);
});
