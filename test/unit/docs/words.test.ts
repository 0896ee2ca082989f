import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { findingTables } from "../../../scripts/docs/finding-tables.ts";
import { listMetrics } from "../../../scripts/docs/metric-tables.ts";
import { knownFlags } from "../../../scripts/docs/option-tables.ts";
import { readinessRows } from "../../../scripts/docs/readiness-table.ts";
import { refusalMeanings, unreachableMeanings } from "../../../scripts/docs/reason-tables.ts";
import { agentEventMeanings, eventMeanings } from "../../../scripts/docs/word-tables.ts";
import { flagOf } from "../../../src/config/option.ts";
import { everyOption } from "../../../src/config/options/every.ts";

const pages = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "examples/nginx/README.md"],
  ...(await readdir("docs")).filter((name) => name.endsWith(".md")).map((name) => join("docs", name)),
];

/** Flags of other programs, and of npm scripts, that the documents show. */
const foreignFlags: ReadonlySet<string> = new Set([
  ...["--build-arg", "--pid", "--tag", "--namespace", "--help", "--version", "--keep", "--project", "--write"],
  ...["--no-install-recommends", "--save-exact"],
]);

test.each(pages)("%s names only flags that exist", async (page) => {
  const text = (await readFile(page, "utf8")).replaceAll(/`--[a-z-]+` \(not there yet\)/g, "");
  const flags = [...text.matchAll(/(?<![\w-])--[a-z]+(?:-[a-z]+)*/g)].map(([flag]) => flag);
  expect(flags.filter((flag) => !knownFlags.has(flag) && !foreignFlags.has(flag))).toEqual([]);
});

test("every flag of every command is in the tables of the README", () => {
  expect(everyOption.map(flagOf).filter((flag) => !knownFlags.has(flag))).toEqual([]);
});

test.each(pages)("%s links only to files and headings that exist", async (page) => {
  const text = await readFile(page, "utf8");
  const missing: string[] = [];
  for (const [, link = ""] of text.matchAll(/\]\(([^)]+)\)/g)) {
    if (/^https?:/.test(link)) continue;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : join(page, "..", path);
    const content = await readFile(target, "utf8").catch(() => undefined);
    const isThere = content !== undefined && (anchor === undefined || anchorsOf(content).includes(anchor));
    if (!isThere) missing.push(link);
  }
  expect(missing).toEqual([]);
});

function anchorsOf(text: string): readonly string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("the troubleshooting table names only codes, reasons, states and events that exist", async () => {
  const readme = await readFile("README.md", "utf8");
  const table = readme.slice(readme.indexOf("## Troubleshooting"), readme.indexOf("## Limits"));
  const sights = table.split("\n").flatMap((line) => (line.startsWith("| ") ? [line.split("|")[1] ?? ""] : []));
  const words = sights.flatMap((sight) => [...sight.matchAll(/`([a-z]+(?:-[a-z]+)*)`/g)].map(([, word = ""]) => word));
  const known = new Set([
    ...Object.values(findingTables).flatMap((codes) => Object.keys(codes)),
    ...[readinessRows, refusalMeanings, unreachableMeanings, eventMeanings, agentEventMeanings].flatMap(Object.keys),
  ]);
  expect(words.length).toBeGreaterThan(15);
  expect(words.filter((word) => !known.has(word))).toEqual([]);
});

test("the list of the agent's own log events is the one in the source", async () => {
  const sources = await Promise.all(["src/agent", "cmd"].map(readSources));
  const events = [
    ...sources
      .flat()
      .join("\n")
      .matchAll(/\bevent: "([a-z-]+)"/g),
  ].map(([, event = ""]) => event);
  const own = [...new Set(events)].filter((event) => !(event in eventMeanings));
  expect(own.toSorted()).toEqual(Object.keys(agentEventMeanings).toSorted());
});

async function readSources(directory: string): Promise<readonly string[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".ts"));
  return Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
}

test("the alert rules use only metrics that exist, with labels that they have", async () => {
  const { groups } = parse(await readFile("docs/alert-rules.yaml", "utf8"));
  const expressions: readonly string[] = groups.flatMap(({ rules }: { rules: { expr: string }[] }) =>
    rules.map(({ expr }) => expr),
  );
  const metrics = new Map(listMetrics().map(({ name, labelNames }) => [name, labelNames]));
  for (const [, name = "", labels = ""] of expressions.join("\n").matchAll(/(certhup_\w+)(?:\{([^}]*)\})?/g)) {
    const asked = [...labels.matchAll(/(\w+)=/g)].map(([, label]) => label);
    expect(metrics.get(name), name).toEqual(expect.arrayContaining(asked));
  }
});
