// Hands HAProxy the pair of the volume over its admin socket: one transaction, no reload, no new process.
// Usage: set-certificate.mjs SOCKET CERTIFICATE KEY, with the certificate's path as it stands in haproxy.cfg.
import { readFileSync, realpathSync } from "node:fs";
import { connect } from "node:net";
import { basename, dirname, join } from "node:path";
import process from "node:process";

const [socketPath, certificate, key] = process.argv.slice(2);

// Both files from one generation of the volume, whatever is published meanwhile.
const generation = dirname(realpathSync(certificate));
const pem = [certificate, key]
  .map((path) => readFileSync(join(generation, basename(path)), "utf8"))
  .join("\n")
  // An empty line would end what HAProxy reads.
  .replaceAll(/\n\s*\n/g, "\n");

const set = await ask(`set ssl cert ${certificate} <<\n${pem.trim()}\n\n`);
if (!/^Transaction (created|updated)/m.test(set)) await fail(set);
const committed = await ask(`commit ssl cert ${certificate}\n`);
if (!/^Success!/m.test(committed)) await fail(committed);
console.log(`committed ${certificate}`);

async function fail(answer) {
  // A transaction that is left open would keep out the next one.
  await ask(`abort ssl cert ${certificate}\n`);
  console.error(answer.trim());
  process.exit(1);
}

/** Sends one command and returns the whole answer. */
function ask(command) {
  return new Promise((resolve, reject) => {
    let answer = "";
    connect(socketPath)
      .setEncoding("utf8")
      .on("connect", function send() {
        this.write(command);
      })
      .on("data", (chunk) => {
        answer += chunk;
      })
      .on("error", reject)
      .on("end", () => resolve(answer));
  });
}
