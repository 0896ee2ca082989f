import { writeFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { systemClock } from "../../src/system/clock.ts";
import { readVolume } from "../../src/volume/read-volume.ts";
import { watchVolumes } from "../../src/volume/watch-volumes.ts";

// Program: watches a directory and says in JSON lines what the watch tells and what each look finds anew.
// `node secret-volume-watcher.ts <directory> <pollMs>`; a line `path=value` on its standard input writes the value to
// the file at that path (limits of its own user namespace), the end of the input ends it.

const [directory = "", pollMs = "1000"] = process.argv.slice(2);
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

let last: string | undefined;
let looks = 0;
async function look(cause: "event" | "poll"): Promise<void> {
  looks += 1;
  const read = await readVolume({
    directory,
    certificateFile: "tls.crt",
    keyFile: "tls.key",
    caFile: undefined,
    maxFileSizeBytes: 1024 * 1024,
  });
  const found =
    read.kind === "read"
      ? { certificate: read.certificate.toString() }
      : { findings: read.findings.map(({ code, message }) => ({ code, message })) };
  say({ type: "looked", cause });
  const text = JSON.stringify(found);
  if (text === last) return;
  last = text;
  const isMissed = cause === "poll" && watch.reportFoundByPoll(directory);
  say({ type: "content", cause, isMissed, ...found });
}

const watch = watchVolumes({
  directories: [directory],
  pollMs: Number(pollMs),
  clock: systemClock,
  onHint: (_directory, cause) => void look(cause),
  onMode: (_directory, mode, detail) => say({ type: "mode", mode, detail }),
});
await look("event");

createInterface(process.stdin)
  .on("line", (line) => {
    const [path = "", value = ""] = line.split("=");
    writeFileSync(path, value);
  })
  .on("close", () => {
    void watch.close().then(() => say({ type: "end", looks, cpuMs: Math.round(process.cpuUsage().user / 1000) }));
  });
