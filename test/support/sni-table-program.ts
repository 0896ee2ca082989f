// Program: a TLS server for many names, each with a Secret volume of its own, which it reads anew as it goes.
// Usage: sni-table-program.ts DIRECTORY
// The volume of the name `n7` is DIRECTORY/n7. It listens on a free port of 127.0.0.1 and prints it.
import { readFileSync, realpathSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { createSecureContext, createServer, type SecureContext } from "node:tls";

const [root = ""] = process.argv.slice(2);
const contexts = new Map<string, { readonly generation: string; readonly context: SecureContext }>();

function contextOf(name: string): SecureContext {
  const generation = realpathSync(join(root, name, "..data"));
  const known = contexts.get(name);
  if (known?.generation === generation) return known.context;
  const cert = readFileSync(join(generation, "tls.crt"));
  const context = createSecureContext({ cert, key: readFileSync(join(generation, "tls.key")) });
  contexts.set(name, { generation, context });
  return context;
}

const server = createServer({
  SNICallback(name, done) {
    try {
      done(null, contextOf(name));
    } catch (error) {
      // Read in the middle of a swap: the client asks again.
      done(error as Error);
    }
  },
});
// A probe hangs up as soon as it has seen the certificate.
server.on("tlsClientError", (_, socket) => socket.destroy());
server.on("secureConnection", (socket) => socket.on("error", () => socket.destroy()).resume());
server.listen(0, "127.0.0.1", () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
