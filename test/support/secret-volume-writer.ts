import { once } from "node:events";
import process from "node:process";
import { writeInPlace } from "./plain-volume.ts";
import { createSecretVolume } from "./secret-volume.ts";

// Program: publishes numbered versions without a pause until it is told to end by the end of its standard input, then
// prints the number of the last one. `node secret-volume-writer.ts <directory> current|old|in-place`

const [directory = "", order = "current"] = process.argv.slice(2);
const volume =
  order === "in-place" ? undefined : await createSecretVolume(directory, { order: order as "current" | "old" });
let isEnding = false;
process.stdin.resume();
void once(process.stdin, "end").then(() => {
  isEnding = true;
});

let version = 0;
do {
  version += 1;
  // Of different lengths, so that a file cut off or made of two versions can be told.
  const content = `${version}\n`.repeat(100 + (version % 50));
  if (volume === undefined) {
    await writeInPlace(directory, "tls.crt", content);
    await writeInPlace(directory, "tls.key", content);
  } else {
    await volume.publish({ "tls.crt": content, "tls.key": content, "ca.crt": content });
  }
  if (version === 1) process.stdout.write("started\n");
} while (!isEnding);
process.stdout.write(`${version}\n`);
