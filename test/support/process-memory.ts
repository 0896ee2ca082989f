import { closeSync, openSync, readFileSync, readSync } from "node:fs";

/** Every writable region of a process (proc(5), /proc/pid/maps and /proc/pid/mem). */
export function readMemory(pid: number): readonly Buffer[] {
  const regions: Buffer[] = [];
  const memory = openSync(`/proc/${pid}/mem`, "r");
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
      const range = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line);
      if (range !== null) {
        regions.push(readRegion(memory, Number.parseInt(range[1] ?? "", 16), Number.parseInt(range[2] ?? "", 16)));
      }
    }
  } finally {
    closeSync(memory);
  }
  return regions;
}

function readRegion(memory: number, start: number, end: number): Buffer {
  const region = Buffer.alloc(end - start);
  let filled = 0;
  while (filled < region.length) {
    const length = Math.min(1024 * 1024, region.length - filled);
    const read = readSync(memory, region, filled, length, start + filled);
    if (read === 0) {
      break;
    }
    filled += read;
  }
  return region.subarray(0, filled);
}
