import { findClosest } from "./closest.ts";
import type { Issue } from "./issue.ts";
import { flagOf, type Option, type Parsed, variableOf } from "./option.ts";

/** The texts that were given on the command line, by option key. */
export type FlagTexts = Readonly<Record<string, readonly string[] | undefined>>;

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A mapping of the configuration file: the file's top, or one of its targets. */
export interface FileSection {
  /** Where it stands: empty for the top, `targets[0]`. */
  readonly path: string;
  /** The texts of each key, and the line of the file in which it stands, from 1. */
  readonly values: ReadonlyMap<string, { readonly texts: readonly string[]; readonly line: number }>;
}

/** Where settings come from, the first that has one wins: flags, environment, file. */
export interface Sources {
  readonly flags: FlagTexts;
  readonly environment: Environment;
  readonly section?: FileSection | undefined;
}

/** Reads options one by one and gathers everything that is wrong, so that it can be told at once. */
export interface OptionReader {
  /**
   * The value of an option, or of its default. `undefined` where nothing is given and there is no default, or where
   * what is given is wrong; then there is an issue.
   */
  read<Value>(option: Option<Value>): Value | undefined;
  /** As `read`, and an issue where nothing is given. */
  require<Value>(option: Option<Value>, hint: string): Value | undefined;
  /** Was it given anywhere, rather than left to its default? */
  isGiven(option: Option<unknown>): boolean;
  /** Where the option was given, or where it would be. */
  pathOf(option: Option<unknown>): string;
  report(issue: Issue): void;
  readonly issues: readonly Issue[];
}

interface Given {
  readonly path: string;
  readonly texts: readonly string[];
}

/** A reader over these sources; with `issues`, it adds to what another reader has found. */
export function createOptionReader(sources: Sources, issues: Issue[] = []): OptionReader {
  const pathOf = (option: Option<unknown>): string => findGiven(option, sources)?.path ?? nameOf(option, sources);
  const report = (issue: Issue): void => void issues.push(issue);
  // An option may be read in several places; what is wrong with it is told once.
  const told = new Set<Option<unknown>>();
  const read = <Value>(option: Option<Value>): Value | undefined => {
    const given = findGiven(option, sources) ?? fallbackOf(option);
    if (given === undefined) return undefined;
    const parsed: Parsed<Value> = given.texts.some(isPem) ? pemInsteadOfName : option.parse(given.texts);
    if (parsed.kind === "value") return parsed.value;
    if (!told.has(option)) report({ path: given.path, message: parsed.message, hint: parsed.hint });
    told.add(option);
    return undefined;
  };
  return {
    issues,
    report,
    pathOf,
    isGiven: (option) => findGiven(option, sources) !== undefined,
    read,
    require(option, hint) {
      const value = read(option);
      const isMissing = value === undefined && !told.has(option);
      if (isMissing) report({ path: pathOf(option), message: "is required", hint });
      return value;
    },
  };
}

/** Is this option set by a flag or the environment, rather than by the file? */
export function isGivenOutside(option: Option<unknown>, { flags, environment }: Sources): boolean {
  return findGiven(option, { flags, environment }) !== undefined;
}

function findGiven(option: Option<unknown>, { flags, environment, section }: Sources): Given | undefined {
  const texts = flags[option.key];
  if (texts !== undefined) return { path: flagOf(option), texts };
  const variable = environment[variableOf(option)];
  if (variable !== undefined) {
    const split = option.isList ? variable.split(option.separator).filter((part) => part !== "") : [variable];
    return { path: variableOf(option), texts: split };
  }
  const value = section?.values.get(option.key);
  if (section === undefined || value === undefined) return undefined;
  return { path: `${joinPath(section, option.key)} (line ${value.line})`, texts: value.texts };
}

/** A key may have been given where its file should be named: the value is neither used nor shown. */
const pemInsteadOfName: Parsed<never> = {
  kind: "issue",
  message: "holds a PEM block; it is not shown here, as it may be a private key",
  hint: "mount the Secret as a volume and name the file, not its content",
};

function isPem(text: string): boolean {
  return text.includes("-----BEGIN");
}

function nameOf(option: Option<unknown>, { section }: Sources): string {
  return section === undefined ? flagOf(option) : joinPath(section, option.key);
}

function joinPath({ path }: FileSection, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function fallbackOf(option: Option<unknown>): Given | undefined {
  return option.fallback === undefined ? undefined : { path: flagOf(option), texts: [option.fallback] };
}

/**
 * Variables that Kubernetes sets for a Service of a name that begins with `certhup`; they are nobody's typing error.
 * Source: Kubernetes documentation, "Service", environment variables.
 */
const serviceVariable = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** Every variable that begins like one of ours but isn't: a setting that would be lost without a word. */
export function findUnknownVariables(environment: Environment, options: readonly Option<unknown>[]): readonly Issue[] {
  const known = options.map(variableOf);
  return Object.keys(environment)
    .filter((name) => name.startsWith("CERTHUP_") && !known.includes(name) && !serviceVariable.test(name))
    .map((name) => ({ path: name, message: "there is no such setting", hint: suggest(name, known) }));
}

/** Says what may have been meant, or where all names are listed. */
export function suggest(text: string, known: readonly string[]): string {
  const closest = findClosest(text, known);
  return closest === undefined ? 'see "certhup run --help" for every setting' : `did you mean ${closest}?`;
}
