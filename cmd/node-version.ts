// Imported before everything else: on an older Node the rest may fail in ways that say nothing.
import process from "node:process";

const leastMajor = 24;

if (Number(process.versions.node.split(".", 1)[0]) < leastMajor) {
  process.stderr.write(
    `error: certhup needs Node ${leastMajor} or newer, this is ${process.versions.node}\n` +
      `hint: run it with Node ${leastMajor}, or use the container image, which brings its own\n`,
  );
  process.exit(2);
}
