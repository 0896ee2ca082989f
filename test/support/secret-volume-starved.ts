import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { readVolume } from "../../src/volume/read-volume.ts";

// Program: takes every descriptor that its limit allows, looks at a volume, gives them back and looks again. Prints
// what both looks brought as one JSON array. `node secret-volume-starved.ts <directory>`

const [directory = ""] = process.argv.slice(2);

async function look(): Promise<unknown> {
  const read = await readVolume({
    directory,
    certificateFile: "tls.crt",
    keyFile: "tls.key",
    caFile: undefined,
    maxFileSizeBytes: 1024,
  });
  return read.kind === "read" ? read.certificate.toString() : read.findings.map(({ code, message }) => [code, message]);
}

// Everything that is loaded late is loaded now.
await look();
const descriptors: number[] = [];
try {
  for (;;) descriptors.push(openSync("/dev/null", "r"));
} catch {
  // That was the last one.
}
const starved = await look();
for (const descriptor of descriptors) closeSync(descriptor);
process.stdout.write(JSON.stringify([starved, await look()]));
