/**
 * Damages keypairs for as long as it is told and checks what certhup makes of them: `node scripts/fuzz.ts 10m`. Prints
 * the smallest failing case and the seed to run it again, and ends with status 1, when a rule is broken.
 */
import process from "node:process";
import fc from "fast-check";
import { damagedFilesProperty } from "../test/property/keypair/keypair-property.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

function parseDuration(text: string): number {
  const [, count, unit = "s"] = /^(\d+)([smh])?$/.exec(text) ?? [];
  if (count === undefined) {
    console.error(`error: ${JSON.stringify(text)} is no duration\nhint: give a time such as 30s, 10m or 1h`);
    process.exit(2);
  }
  return Number(count) * (unitMs[unit] ?? 1000);
}

const durationMs = parseDuration(process.argv[2] ?? "60s");
const result = await fc.check(damagedFilesProperty, {
  numRuns: Number.MAX_SAFE_INTEGER,
  interruptAfterTimeLimit: durationMs,
  markInterruptAsFailure: false,
});
const memory = Math.round(process.memoryUsage().rss / 1024 / 1024);
console.log(`${result.numRuns} damaged pairs, ${memory} MiB resident at the end`);
if (result.failed) {
  console.error(`error: ${fc.defaultReportMessage(result)}`, result.errorInstance);
  process.exit(1);
}
