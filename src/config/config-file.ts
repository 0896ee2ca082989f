import { readFile } from "node:fs/promises";
import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import type { Issue } from "./issue.ts";
import type { Option } from "./option.ts";
import { type FileSection, suggest } from "./sources.ts";

/** A configuration file whose keys are known; the values are still texts. */
export interface ConfigFile {
  readonly top: FileSection;
  readonly targets: readonly FileSection[];
}

/** What could be read of a file, and everything that is wrong with its form. */
export interface ReadConfigFile {
  /** Without what is named in the issues; `undefined` if nothing could be read. */
  readonly file: ConfigFile | undefined;
  readonly issues: readonly Issue[];
}

/** Which keys may stand where. */
export interface KnownOptions {
  readonly top: readonly Option<unknown>[];
  readonly target: readonly Option<unknown>[];
}

/** Reads a YAML file with `targets:`. A file that can't be read is an issue like any other. */
export async function readConfigFile(path: string, known: KnownOptions): Promise<ReadConfigFile> {
  try {
    return parseConfigFile(await readFile(path, "utf8"), known);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    const hint = "name a YAML file that the agent may read: --config /etc/certhup/config.yaml";
    return { file: undefined, issues: [{ path, message: `can't be read: ${code}`, hint }] };
  }
}

function parseConfigFile(text: string, known: KnownOptions): ReadConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const issues: Issue[] = document.errors.map(({ code, message, linePos }) => ({
    path: `line ${linePos?.[0].line ?? 1}`,
    message: code === "MULTIPLE_DOCS" ? "the file holds several documents" : toSentence(message),
    hint: "the file must be YAML: mind the indentation and quote special characters",
  }));
  if (issues.length > 0) return { file: undefined, issues };
  resolveAliases(document);
  const reader = createSectionReader(issues, lines);
  const { contents } = document;
  if (!isMap(contents)) {
    const hint = "begin with targets: and one entry for each certificate";
    return { file: undefined, issues: [{ path: "line 1", message: "the file holds no settings", hint }] };
  }
  const top = reader.read(contents, "", known.top, ["targets"]);
  const targets = reader.readTargets(contents, known.target);
  return { file: { top, targets }, issues };
}

/**
 * Puts what an anchor names where its alias stands; an alias within its own anchor stays. Each node is gone through once:
 * copied instead, aliases within what aliases name would make a short text larger than memory.
 */
function resolveAliases(document: Document): void {
  const anchors = new Map<string, Node>();
  visit(document, {
    Node(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
    Alias(key, { source }, path) {
      const node = anchors.get(source);
      const parent = path.at(-1);
      if (node === undefined || path.includes(node)) return undefined;
      if (isSeq(parent) && typeof key === "number") parent.items[key] = node;
      if (isPair(parent) && (key === "key" || key === "value")) parent[key] = node;
      return visit.SKIP;
    },
  });
}

/** The parser's own words, without the place and the lines of the file that it shows. */
function toSentence(message: string): string {
  return (message.split("\n", 1)[0] ?? "").replace(/ at line .*$/, "").toLowerCase();
}

interface SectionReader {
  read(map: YAMLMap, path: string, options: readonly Option<unknown>[], others: readonly string[]): FileSection;
  readTargets(top: YAMLMap, options: readonly Option<unknown>[]): readonly FileSection[];
}

/** Takes over the settings of another mapping, those of its own coming first (YAML 1.1, merge key). */
const mergeKey = "<<";

function createSectionReader(issues: Issue[], lines: LineCounter): SectionReader {
  const lineOf = (node: unknown): number => {
    const { range } = node as { range?: readonly [number, number, number] | null };
    return range === undefined || range === null ? 1 : lines.linePos(range[0]).line;
  };
  const report = (path: string, node: unknown, message: string, hint: string): void =>
    void issues.push({ path: `${path} (line ${lineOf(node)})`, message, hint });

  const read: SectionReader["read"] = (map, path, options, others) => {
    const values = new Map<string, { texts: readonly string[]; line: number }>();
    for (const { key, value } of map.items as Pair[]) {
      const name = isScalar(key) ? String(key.value) : "?";
      const place = path === "" ? name : `${path}.${name}`;
      if (others.includes(name)) continue;
      if (name === mergeKey && isMap(value)) {
        for (const [inherited, given] of read(value, path, options, others).values) {
          if (!map.has(inherited)) values.set(inherited, given);
        }
        continue;
      }
      const option = options.find((candidate) => candidate.key === name);
      if (option === undefined) {
        const known = [...options.map((candidate) => candidate.key), ...others];
        report(place, key, "there is no such setting", suggest(name, known));
        continue;
      }
      const texts = toTexts(value, option);
      if (texts === undefined)
        report(place, key, `is not ${describe(option)}`, `write ${name}: ${option.placeholder || "true"}`);
      else values.set(name, { texts, line: lineOf(key) });
    }
    return { path, values };
  };

  return {
    read,
    readTargets(top, options) {
      const targets = top.get("targets");
      if (!isSeq(targets) || targets.items.length === 0) {
        const hint = "write targets: and below it one entry for each certificate, each beginning with a dash";
        report("targets", top, "there is no target", hint);
        return [];
      }
      return targets.items.flatMap((item, position) => {
        const path = `targets[${position}]`;
        if (isMap(item)) return [read(item, path, options, [])];
        report(path, item, "is no mapping of settings", "write name: and the target's other settings, indented alike");
        return [];
      });
    },
  };
}

function toTexts(value: unknown, option: Option<unknown>): readonly string[] | undefined {
  if (isSeq(value)) {
    const texts = value.items.map(toText);
    const known = texts.filter((text) => text !== undefined);
    if (known.length < texts.length) return undefined;
    if (option.isList) return known;
    return option.fromArray === undefined ? undefined : [option.fromArray(known)];
  }
  const text = toText(value);
  return text === undefined ? undefined : [text];
}

function toText(value: unknown): string | undefined {
  if (!isScalar(value)) return undefined;
  // What was written counts, not what YAML makes of it: 0x10 and 1e3 are no counts here.
  if (typeof value.value === "number") return value.source ?? String(value.value);
  return typeof value.value === "string" || typeof value.value === "boolean" ? String(value.value) : undefined;
}

function describe(option: Option<unknown>): string {
  return option.isList ? "a value or a list of values" : "a single value";
}

/** The texts of a YAML list, or of the list under `endpoints:`, with their lines; `undefined` if it is neither. */
export function readEndpointList(
  text: string,
): readonly { readonly text: string; readonly line: number }[] | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const { contents } = document;
  const items = isMap(contents) ? contents.get("endpoints") : contents;
  if (document.errors.length > 0 || !isSeq(items)) return undefined;
  const texts = items.items.map((item) => {
    const entry = toText(item);
    const { range } = item as { range?: readonly [number, number, number] | null };
    return entry === undefined ? undefined : { text: entry, line: lines.linePos(range?.[0] ?? 0).line };
  });
  return texts.every((entry) => entry !== undefined) ? texts : undefined;
}
