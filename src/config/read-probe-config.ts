import { readFile } from "node:fs/promises";
import { type Endpoint, parseEndpoint } from "../probe/endpoint.ts";
import type { ProbeConfig } from "./config.ts";
import type { Issue } from "./issue.ts";
import * as options from "./options/probe.ts";
import { concludeConfig, type ReadConfig } from "./read-config.ts";
import { readProbeLimits } from "./read-probe-limits.ts";
import { createOptionReader, type Sources } from "./sources.ts";

/** An endpoint as it was written, and where. */
interface Written {
  readonly path: string;
  readonly text: string;
}

/** Reads what `certhup probe` needs; the endpoints are the words of the command line and the lines of the files. */
export async function readProbeConfig(sources: Sources, words: readonly string[]): Promise<ReadConfig<ProbeConfig>> {
  const issues: Issue[] = [];
  const reader = createOptionReader(sources, issues);
  const files = reader.read(options.endpointFile) ?? [];
  const written = [...words.map((text) => ({ path: text, text })), ...(await readFiles(files, issues))];
  const endpoints = written.flatMap((entry) => toEndpoint(entry, issues));
  if (written.length === 0 && issues.length === 0) {
    const hint = "name at least one: certhup probe www.example.com:443, or --file with one a line";
    issues.push({ path: "ENDPOINT", message: "is required", hint });
  }
  const config: ProbeConfig = {
    endpoints: [...new Map(endpoints.map((endpoint) => [endpoint.label, endpoint])).values()],
    warnMs: reader.read(options.warn) ?? 0,
    criticalMs: reader.read(options.critical) ?? 0,
    trustFile: reader.read(options.trustFile),
    concurrency: reader.read(options.concurrency) ?? 1,
    limits: readProbeLimits(reader),
    output: reader.read(options.probeOutput) ?? "table",
  };
  return concludeConfig(config, issues, sources.environment);
}

async function readFiles(paths: readonly string[], issues: Issue[]): Promise<readonly Written[]> {
  const written: Written[] = [];
  for (const path of paths) {
    try {
      // Editors of Windows begin a file with a byte order mark.
      const text = (await readFile(path === "-" ? "/dev/stdin" : path, "utf8")).replace(/^\ufeff/, "");
      written.push(...(/\.ya?ml$/i.test(path) ? await readYaml(path, text, issues) : readLines(path, text)));
    } catch (error) {
      const { code = "unknown error" } = error as NodeJS.ErrnoException;
      issues.push({ path, message: `can't be read: ${code}`, hint: "name a file that holds one endpoint a line" });
    }
  }
  return written;
}

function readLines(path: string, text: string): readonly Written[] {
  return text.split(/\r?\n/).flatMap((line, position) => {
    const entry = line.replace(/(^|\s)#.*$/, "").trim();
    return entry === "" ? [] : [{ path: `${path} (line ${position + 1})`, text: entry }];
  });
}

async function readYaml(path: string, text: string, issues: Issue[]): Promise<readonly Written[]> {
  const { readEndpointList } = await import("./config-file.ts");
  const entries = readEndpointList(text);
  if (entries !== undefined)
    return entries.map(({ text: entry, line }) => ({ path: `${path} (line ${line})`, text: entry }));
  issues.push({ path, message: "is no YAML list of endpoints", hint: "write one endpoint a line, each after a dash" });
  return [];
}

function toEndpoint({ path, text }: Written, issues: Issue[]): readonly Endpoint[] {
  const parsed = parseEndpoint(text);
  if (parsed.kind === "endpoint") return [parsed.endpoint];
  issues.push({ path, message: parsed.message, hint: parsed.hint });
  return [];
}
