import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { table } from "./markdown.ts";

/** What a rotation under a real server looked like to a client that connected all the time. */
export interface WorksWith {
  readonly server: string;
  readonly strategy: string;
  /** `TLS`, or the protocol of STARTTLS. */
  readonly endpoint: string;
  readonly failedHandshakes: number;
  /** The longest time without a good handshake once one had failed; 0 where none did. */
  readonly gapMs: number;
  readonly version: string;
}

/** What the pods tests saw, as it was taken over last. */
export const worksWithFile: string = join(import.meta.dirname, "..", "..", "docs", "works-with.json");

export async function readWorksWith(): Promise<readonly WorksWith[]> {
  return JSON.parse(await readFile(worksWithFile, "utf8")) as readonly WorksWith[];
}

/** One row for each server and way to tell it. */
export async function renderWorksWith(): Promise<string> {
  const rows = (await readWorksWith()).map(({ server, strategy, endpoint, version, failedHandshakes, gapMs }) => [
    server,
    version,
    strategy,
    endpoint,
    failedHandshakes === 0 ? "none" : `${gapMs} ms`,
  ]);
  return table(["Server", "Verified version", "Strategy", "Endpoint", "Gap seen"], rows);
}
