/**
 * Probes the endpoints of its arguments one after another, says how the probes ended, and waits for the end of its
 * standard input.
 */
import process from "node:process";
import { probe } from "../support/tls-server-probe.ts";

const ends: string[] = [];
for (const endpoint of process.argv.slice(2)) {
  const result = await probe(endpoint);
  ends.push(result.kind === "served" ? "served" : result.reason);
}
process.stdin.resume();
process.stdin.once("end", () => process.exit(0));
process.stdout.write(`${ends.join(" ")}\n`);
