// Takes over what the pods tests saw of servers (`npm test -- --project pods test/pods/works-with.test.ts`) into
// docs/works-with.json, from which `npm run docs` makes the table.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readWorksWith, type WorksWith, worksWithFile } from "./docs/works-with-table.ts";

const resultsDirectory = ".cache/works-with";

const files = (await readdir(resultsDirectory)).filter((file) => file.endsWith(".json"));
const texts = await Promise.all(files.map((file) => readFile(join(resultsDirectory, file), "utf8")));
const seen = texts.map((text) => JSON.parse(text) as WorksWith);
const idOf = ({ server, strategy }: WorksWith): string => `${server} ${strategy}`;
const kept = (await readWorksWith()).filter((old) => !seen.some((now) => idOf(now) === idOf(old)));
const results = [...kept, ...seen].sort((left, right) => idOf(left).localeCompare(idOf(right), "en"));
await writeFile(worksWithFile, `${JSON.stringify(results, null, 2)}\n`);
console.log(`${worksWithFile}: ${results.length} servers, ${seen.length} of them just seen`);
