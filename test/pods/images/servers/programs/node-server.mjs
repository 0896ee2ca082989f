// A Node server that loads its pair anew on SIGHUP; connections that are open keep what they have.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import process from "node:process";

const readPair = () => ({ cert: readFileSync("/certs/tls.crt"), key: readFileSync("/certs/tls.key") });

const server = createServer(readPair(), (_, response) => response.end("served by node\n"));
process.on("SIGHUP", () => {
  try {
    server.setSecureContext(readPair());
  } catch (error) {
    console.error(error);
  }
});
process.on("SIGTERM", () => process.exit());
server.listen(8443);
