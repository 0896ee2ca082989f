// Makes Redis read its pair anew: both files in one command, so that it never meets a certificate without its key.
// Usage: set-certificate.mjs SOCKET CERTIFICATE KEY
import { connect } from "node:net";
import process from "node:process";

const [socketPath, certificate, key] = process.argv.slice(2);
const words = ["CONFIG", "SET", "tls-cert-file", certificate, "tls-key-file", key];

const socket = connect(socketPath).setEncoding("utf8");
// https://redis.io/docs/latest/develop/reference/protocol-spec/
socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`);
let answer = "";
socket.on("data", (chunk) => {
  answer += chunk;
  if (!answer.includes("\r\n")) return;
  const isDone = answer.startsWith("+OK");
  (isDone ? console.log : console.error)(answer.trim());
  process.exit(isDone ? 0 : 1);
});
socket.on("error", (error) => fail(error.message));
socket.on("close", () => fail("the server hung up"));

function fail(message) {
  console.error(message);
  process.exit(1);
}
