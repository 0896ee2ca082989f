import { findClosest } from "./closest.ts";
import type { Issue } from "./issue.ts";
import { flagOf, type Option, type Parsed, variableOf } from "./option.ts";

/** The texts that were given on the command line, by option key. */
export type FlagTexts = Readonly<Record<string, readonly string[] | undefined>>;

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads options one by one and gathers everything that is wrong, so that it can be told at once. */
export interface OptionReader {
  /**
   * The value of an option: flag before environment before default. `undefined` where nothing is given and there is no
   * default, or where what is given is wrong; then there is an issue.
   */
  read<Value>(option: Option<Value>): Value | undefined;
  /** Where the option's value was found, for issues that concern several options. */
  pathOf(option: Option<unknown>): string;
  report(issue: Issue): void;
  readonly issues: readonly Issue[];
}

interface Given {
  readonly path: string;
  readonly texts: readonly string[];
}

/** A reader over the command line and the environment. */
export function createOptionReader(flags: FlagTexts, environment: Environment): OptionReader {
  const issues: Issue[] = [];
  const find = (option: Option<unknown>): Given | undefined => findGiven(option, flags, environment);
  return {
    issues,
    report: (issue) => void issues.push(issue),
    pathOf: (option) => find(option)?.path ?? flagOf(option),
    read<Value>(option: Option<Value>): Value | undefined {
      const given = find(option) ?? fallbackOf(option);
      if (given === undefined) return undefined;
      const parsed: Parsed<Value> = option.parse(given.texts);
      if (parsed.kind === "value") return parsed.value;
      issues.push({ path: given.path, message: parsed.message, hint: parsed.hint });
      return undefined;
    },
  };
}

function findGiven(option: Option<unknown>, flags: FlagTexts, environment: Environment): Given | undefined {
  const texts = flags[option.key];
  if (texts !== undefined) return { path: flagOf(option), texts };
  const variable = environment[variableOf(option)];
  if (variable === undefined) return undefined;
  const split = option.isList ? variable.split(/[\s,]+/).filter((part) => part !== "") : [variable];
  return { path: variableOf(option), texts: split };
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
