import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readRunConfig } from "../../../src/config/read-config.ts";
import { parseEndpoint } from "../../../src/probe/endpoint.ts";
import { toFlagTexts } from "../../support/flag-texts.ts";

const readme = await readFile("README.md", "utf8");

function blocksOf(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, block = ""]) => block,
  );
}

test("every `certhup run` command line of the README is one that the program takes", async () => {
  const lines = blocksOf(readme, "sh").flatMap((block) => block.replaceAll("\\\n", " ").split("\n"));
  const commands = lines.filter((line) => line.startsWith("certhup run "));
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) {
    const flags = toFlagTexts(command.split(/\s+/).slice(1));
    expect(await readRunConfig({ flags, environment: {} }, "pod-0"), command).toMatchObject({ kind: "config" });
  }
});

test("the configuration file of the README is one that the program takes", async () => {
  const file = blocksOf(readme, "yaml").find((block) => block.includes("\ntargets:"));
  const directory = await mkdtemp(join(tmpdir(), "certhup-docs-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, "config.yaml");
  await writeFile(path, file ?? "");
  const read = await readRunConfig({ flags: { config: [path] }, environment: {} }, "pod-0");
  expect(read).toMatchObject({ kind: "config", config: { targets: [{ name: "web" }, { name: "mail" }] } });
});

test("every endpoint of docs/endpoints.md is one that the program takes", async () => {
  const [block = ""] = blocksOf(await readFile("docs/endpoints.md", "utf8"), "text");
  const endpoints = block
    .trim()
    .split("\n")
    .map((line) => line.split(" ", 1)[0] ?? "");
  expect(endpoints.length).toBeGreaterThan(4);
  for (const endpoint of endpoints) expect(parseEndpoint(endpoint), endpoint).toMatchObject({ kind: "endpoint" });
});
