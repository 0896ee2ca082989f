// Program: swaps a Secret volume between keypairs without a pause, and prints what it published last.
// Usage: keypair-swapper.ts DIRECTORY current|old MILLISECONDS
import process from "node:process";
import { createAuthority } from "./certificates.ts";
import { createSecretVolume } from "./secret-volume.ts";

const [directory = "", order = "current", durationMs = "1000"] = process.argv.slice(2);
const authority = createAuthority();
const pairs = await Promise.all(Array.from({ length: 20 }, () => authority.issue({ names: ["stage.example"] })));
const volume = await createSecretVolume(directory, { order: order === "old" ? "old" : "current" });
const endMs = performance.now() + Number(durationMs);
let swaps = 0;
let fingerprint = "";
do {
  const pair = pairs[swaps % pairs.length];
  if (pair === undefined) throw new Error("there are no pairs");
  await volume.publish({ "tls.crt": pair.certificatePem, "tls.key": pair.keyPem, "ca.crt": pair.caPem });
  ({ fingerprint } = pair);
  swaps += 1;
} while (performance.now() < endMs);
console.log(`swapped ${swaps} times, last ${fingerprint}`);
