// Takes over what the pods tests saw of servers (`npm test -- --project pods test/pods/works-with.test.ts`) into
// docs/works-with.json, and writes the table of docs/works-with.md anew. A test fails while the two differ.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { table } from "./docs/markdown.ts";

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

export const worksWithData = "docs/works-with.json";
export const worksWithPage = "docs/works-with.md";
const resultsDirectory = ".cache/works-with";
const [begin, end] = ["<!-- works-with: begin -->", "<!-- works-with: end -->"];

/** The page with the table between its marks made anew. */
export function renderWorksWith(page: string, results: readonly WorksWith[]): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${worksWithPage} lacks its marks`);
  const rows = results.map(({ server, strategy, endpoint, version, failedHandshakes, gapMs }) => [
    server,
    version,
    strategy,
    endpoint,
    failedHandshakes === 0 ? "none" : `${gapMs} ms`,
  ]);
  const head = ["Server", "Verified version", "Strategy", "Endpoint", "Gap seen"];
  return `${before}${begin}\n\n${table(head, rows)}\n${end}${after}`;
}

export async function readWorksWith(): Promise<readonly WorksWith[]> {
  return JSON.parse(await readFile(worksWithData, "utf8")) as readonly WorksWith[];
}

async function takeOver(): Promise<void> {
  const files = (await readdir(resultsDirectory)).filter((file) => file.endsWith(".json"));
  const texts = await Promise.all(files.map((file) => readFile(join(resultsDirectory, file), "utf8")));
  const seen = texts.map((text) => JSON.parse(text) as WorksWith);
  const idOf = ({ server, strategy }: WorksWith): string => `${server} ${strategy}`;
  const kept = (await readWorksWith().catch(() => [])).filter((old) => !seen.some((now) => idOf(now) === idOf(old)));
  const results = [...kept, ...seen].sort((a, b) => idOf(a).localeCompare(idOf(b), "en"));
  await writeFile(worksWithData, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(worksWithPage, renderWorksWith(await readFile(worksWithPage, "utf8"), results));
  console.log(`${worksWithPage}: ${results.length} servers, ${seen.length} of them just seen`);
}

if (import.meta.main) await takeOver();
