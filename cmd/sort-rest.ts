import type { Issue } from "../src/config/issue.ts";
import { flagOf, type Option } from "../src/config/option.ts";
import { suggest } from "../src/config/sources.ts";

/** What is left of a command line when all known flags are taken. */
export interface SortedRest {
  readonly words: readonly string[];
  readonly issues: readonly Issue[];
}

/**
 * Sorts what is left into words, where the command takes some, and issues: flags that don't exist, and words that
 * belong to none. Such a word is told by its place, as it may be the rest of a secret that was not quoted.
 *
 * @param rest what the flags left over, in its order
 * @param args the whole command line, where the places are counted from 1
 */
export function sortRest(
  rest: readonly string[],
  args: readonly string[],
  options: readonly Option<unknown>[],
  takesWords: boolean,
): SortedRest {
  const known = options.map(flagOf);
  const places = findPlaces(args, options);
  const words: string[] = [];
  const issues: Issue[] = [];
  for (const [position, word] of rest.entries()) {
    const place = places.next(word);
    const [flag = word] = word.split("=", 1);
    const isValueOfUnknown = flagShape.test(rest[position - 1] ?? "") && !takesWords;
    if (flagShape.test(flag)) issues.push(describeUnknownFlag(flag, known));
    else if (takesWords) words.push(word);
    else if (!isValueOfUnknown) issues.push(describeStray(place));
  }
  return { words, issues };
}

/** A known one is left over only as a switch that was given a value. */
function describeUnknownFlag(flag: string, known: readonly string[]): Issue {
  if (!known.includes(flag)) return { path: flag, message: "there is no such flag", hint: suggest(flag, known) };
  return { path: flag, message: "takes no value", hint: `write ${flag} alone for true, or leave it out for false` };
}

/** A PEM block or a token given by mistake may begin with dashes as well, and must not be shown. */
const flagShape = /^--?[a-z][a-z-]{0,40}$/i;

interface Place {
  readonly word: string;
  /** Counted from 1. */
  readonly number: number;
  /** The flag before it, but for its own value. */
  readonly flag: string | undefined;
}

/** The places of everything that is no known flag's value; each call gives the next one of this word. */
function findPlaces(
  args: readonly string[],
  options: readonly Option<unknown>[],
): { next(word: string): Place | undefined } {
  const taking = new Set(options.filter(({ placeholder }) => placeholder !== "").map(flagOf));
  const places: Place[] = [];
  let flag: string | undefined;
  let isValue = false;
  for (const [position, word] of args.entries()) {
    if (!isValue) places.push({ word, number: position + 1, flag });
    const [name = word] = word.split("=", 1);
    if (!isValue && flagShape.test(name)) flag = name;
    isValue = !isValue && taking.has(word);
  }
  let from = 0;
  return {
    next(word) {
      const found = places.findIndex((place, position) => position >= from && place.word === word);
      from = found === -1 ? from : found + 1;
      return places[found];
    },
  };
}

function describeStray(place: Place | undefined): Issue {
  const hint = "quote values with blanks, and name each value's flag";
  const { number = "?", flag } = place ?? {};
  return flag === undefined
    ? { path: `word ${number}`, message: "belongs to no flag", hint }
    : { path: flag, message: `word ${number}, behind this flag, belongs to no flag`, hint };
}
