import { readdirSync, readFileSync } from "node:fs";

/** The value below which half of the others lie. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The value below which nine of ten others lie. */
export function percentile90(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length * 0.9)] ?? Number.NaN;
}

/** Memory that ends with the process, in KiB: what one more sidecar on the node costs. */
export function privateMemoryKiB(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm)].reduce((sum, [, kib]) => sum + Number(kib), 0);
}

/** Processor time that the threads of a process have used so far, in milliseconds (scheduler statistics, in ns). */
export function processorMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const usedNs = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return usedNs.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

/** One line of the benchmark: what was measured, in what unit, and what the same costs without certhup. */
export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly value: number;
  /** Taken in the same run; the ratio is what can be compared between machines. */
  readonly floor?: { readonly what: string; readonly value: number };
}

/** `swap to confirmed  212 ms   2.0 × swap to first new handshake, told by hand (105 ms)` */
export function renderFigure({ what, unit, value, floor }: Figure): string {
  const shown = `${what.padEnd(34)} ${format(value).padStart(8)} ${unit.padEnd(4)}`;
  return floor === undefined
    ? shown
    : `${shown}  ${(value / floor.value).toFixed(2)} × ${floor.what} (${format(floor.value)} ${unit})`;
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(value >= 10 ? 1 : 3);
}
