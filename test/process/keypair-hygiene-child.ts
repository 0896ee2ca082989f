/**
 * Takes up the pairs of the folders named on the command line one after another, as the agent does, and keeps the last
 * one; then writes a heap snapshot to the first argument, and collects garbage until the end of its standard input.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { writeHeapSnapshot } from "node:v8";
import type { Keypair } from "../../src/keypair/keypair.ts";
import { parseKeypair } from "../../src/keypair/parse-keypair.ts";
import { rehearse } from "../../src/keypair/rehearsal.ts";
import { validateKeypair } from "../../src/keypair/validate-keypair.ts";
import { systemClock } from "../../src/system/clock.ts";
import { defaultKeypairPolicy } from "../support/keypair-policy.ts";

const [snapshotFile = "", ...folders] = process.argv.slice(2);
let current: Keypair | undefined;
for (const folder of folders) {
  const parsed = parseKeypair({
    certificate: readFileSync(join(folder, "tls.crt")),
    key: readFileSync(join(folder, "tls.key")),
  });
  if (parsed.kind === "parsed") {
    current = parsed.keypair;
    validateKeypair(current, defaultKeypairPolicy, systemClock.now().wallMs, undefined);
    await rehearse(current, { clock: systemClock });
  }
}
for (let round = 0; round < 5; round++) {
  globalThis.gc?.();
  await wait(20);
}
writeHeapSnapshot(snapshotFile);
// What V8 lets go of is freed a moment later, so that the one who searches may have to wait.
setInterval(() => globalThis.gc?.(), 100);
process.stdin.resume();
// The last pair is kept to the end, as the agent keeps it.
process.stdin.once("end", () => process.exit(current === undefined ? 1 : 0));
process.stdout.write(`holds ${current?.leaf.subject}\n`);
