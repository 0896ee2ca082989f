// Runs FLUSH SSL over MariaDB's Unix socket, as the user that the socket itself vouches for: no password.
// Usage: flush-ssl.mjs SOCKET USER. The protocol: https://mariadb.com/kb/en/clientserver-protocol/
import { connect } from "node:net";
import process from "node:process";

const [socketPath, user] = process.argv.slice(2);

const protocol41 = 0x0200;
const secureConnection = 0x8000;
const pluginAuth = 0x80000;
const statement = "FLUSH SSL";

const socket = connect(socketPath);
let received = Buffer.alloc(0);
let next = greet;

socket.on("data", (chunk) => {
  received = Buffer.concat([received, chunk]);
  // A packet: three bytes of length, one that counts packets, the payload.
  while (received.length >= 4 && received.length >= 4 + received.readUIntLE(0, 3)) {
    const end = 4 + received.readUIntLE(0, 3);
    const [count, payload] = [received[3], received.subarray(4, end)];
    received = received.subarray(end);
    next(payload, count);
  }
});
socket.on("error", (error) => fail(error.message));
socket.on("close", () => fail("the server hung up"));

function greet(payload, count) {
  if (payload[0] === 0xff) fail(messageOf(payload));
  const head = Buffer.alloc(32);
  head.writeUInt32LE(protocol41 | secureConnection | pluginAuth, 0);
  head.writeUInt32LE(0xffff, 4);
  head[8] = 45;
  send(Buffer.concat([head, Buffer.from(`${user}\0\0unix_socket\0`)]), count + 1);
  next = logIn;
}

function logIn(payload, count) {
  // The server may name the way to log in once more; the socket says the rest.
  if (payload[0] === 0xfe) return send(Buffer.alloc(0), count + 1);
  if (payload[0] !== 0) fail(messageOf(payload));
  send(Buffer.from(`\x03${statement}`), 0);
  next = conclude;
}

function conclude(payload) {
  if (payload[0] !== 0) fail(messageOf(payload));
  console.log(`${statement}: done`);
  process.exit();
}

function send(payload, count) {
  const head = Buffer.alloc(4);
  head.writeUIntLE(payload.length, 0, 3);
  head[3] = count;
  socket.write(Buffer.concat([head, payload]));
}

/** An error packet: 0xff, two bytes of code, then a state of six characters once the protocol is agreed. */
function messageOf(payload) {
  return payload
    .subarray(3)
    .toString()
    .replace(/^#.{5}/, "");
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
