// New connections at a steady rate, each a full handshake, until SIGTERM or a limit; then one line of JSON.
// Usage: load.mjs PORT PER_SECOND MOST_SECONDS
import process from "node:process";
import { connect } from "node:tls";

const [port, perSecond, mostSeconds] = process.argv.slice(2).map(Number);
const tickMs = 20;
const handshakeLimitMs = 5000;
const startMs = performance.now();
const failures = [];
let begun = 0;
let done = 0;

const settle = (socket, failure) => {
  socket.removeAllListeners();
  // What the server still says after the handshake is of no interest, its reset included.
  socket.on("error", () => undefined);
  socket.destroy();
  done += 1;
  if (failure !== undefined) failures.push({ afterMs: Math.round(performance.now() - startMs), failure });
};

const shakeHands = () => {
  begun += 1;
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, servername: "pod.example" });
  socket.setTimeout(handshakeLimitMs, () => settle(socket, "silence"));
  socket.once("error", (error) => settle(socket, error.message));
  socket.once("close", () => settle(socket, "closed"));
  socket.once("secureConnect", () => settle(socket));
};

const ticker = setInterval(() => {
  const seconds = (performance.now() - startMs) / 1000;
  if (seconds > mostSeconds) return finish();
  while (begun < seconds * perSecond) shakeHands();
}, tickMs);

let isFinishing = false;
function finish() {
  if (isFinishing) return;
  isFinishing = true;
  clearInterval(ticker);
  const seconds = (performance.now() - startMs) / 1000;
  const report = () => {
    if (done < begun) return setTimeout(report, tickMs);
    console.log(JSON.stringify({ handshakes: begun, perSecond: Math.round(begun / seconds), failures }));
    process.exit();
  };
  report();
}
process.on("SIGTERM", finish);
