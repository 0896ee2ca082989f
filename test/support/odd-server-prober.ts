/**
 * A program that probes the endpoints of its arguments in turn, `PROBES` times in all, eight at once, each for at most
 * `TIMEOUT_MS`, and prints how the probes ended and how far its memory grew after the first eighth of them.
 */
import process from "node:process";
import { probe } from "./tls-server-probe.ts";

const endpoints = process.argv.slice(2);
const wanted = Number(process.env["PROBES"]);
const timeoutMs = Number(process.env["TIMEOUT_MS"]);
const ends: Record<string, number> = {};
let started = 0;
let settled = 0;
let rssAtFirst = 0;
let longestMs = 0;

async function work(): Promise<void> {
  while (started < wanted) {
    const endpoint = endpoints[started++ % endpoints.length] ?? "";
    const result = await probe(endpoint, { limits: { wholeMs: timeoutMs, stepMs: timeoutMs } });
    const end = result.kind === "served" ? "served" : result.reason;
    ends[end] = (ends[end] ?? 0) + 1;
    longestMs = Math.max(longestMs, result.durationMs);
    settled += 1;
    if (settled === Math.floor(wanted / 8)) {
      rssAtFirst = process.memoryUsage.rss();
    }
  }
}

await Promise.all(Array.from({ length: 8 }, work));
const grownMb = (process.memoryUsage.rss() - rssAtFirst) / 2 ** 20;
process.stdout.write(JSON.stringify({ ends, grownMb, longestMs }));
