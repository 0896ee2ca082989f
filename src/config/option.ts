/** What became of a text: a value, or what is wrong with it and what to do. */
export type Parsed<Value> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "issue"; readonly message: string; readonly hint: string };

/** One setting. Its flag, environment variable and YAML key follow from `key` by rule. */
export interface Option<Value> {
  /** Camel case, as in the YAML file: `certDir` is `--cert-dir` and `CERTHUP_CERT_DIR`. */
  readonly key: string;
  /** What stands for the value in the help: `DIR`. Empty for a switch, which takes no value as a flag. */
  readonly placeholder: string;
  readonly description: string;
  /** The heading of the help and of the README's table under which it stands. */
  readonly group: string;
  /** The text that is read where nothing is given; `undefined` where there is no default. */
  readonly fallback: string | undefined;
  /** True where the flag may be repeated. */
  readonly isList: boolean;
  /** What stands between the values of a list in the environment. */
  readonly separator: RegExp;
  /** Makes one text of a list in the configuration file, where an option that is no list can also be written so. */
  readonly fromArray: ((texts: readonly string[]) => string) | undefined;
  /** Reads the texts given; for an option that is no list there is exactly one. */
  readonly parse: (texts: readonly string[]) => Parsed<Value>;
}

/** `certDir` → `--cert-dir` */
export function flagOf({ key }: Pick<Option<unknown>, "key">): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `certDir` → `CERTHUP_CERT_DIR` */
export function variableOf({ key }: Pick<Option<unknown>, "key">): string {
  return `CERTHUP_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Commas or white space, which no ordinary value of a list holds. */
const commasOrSpace = /[\s,]+/;

interface Description {
  readonly key: string;
  readonly placeholder?: string;
  readonly description: string;
  readonly group: string;
  readonly fallback?: string;
  readonly separator?: RegExp;
  readonly fromArray?: (texts: readonly string[]) => string;
}

/** An option that takes one text. */
export function single<Value>(description: Description, parse: (text: string) => Parsed<Value>): Option<Value> {
  return {
    placeholder: "VALUE",
    fallback: undefined,
    separator: commasOrSpace,
    fromArray: undefined,
    ...description,
    isList: false,
    parse: (texts) => parse(texts.at(-1) ?? ""),
  };
}

/** An option that takes any number of texts; the first one that is wrong is told. */
export function list<Value>(
  description: Description,
  parse: (text: string) => Parsed<Value>,
): Option<readonly Value[]> {
  return {
    placeholder: "VALUE",
    fallback: undefined,
    separator: commasOrSpace,
    fromArray: undefined,
    ...description,
    isList: true,
    parse(texts) {
      const values: Value[] = [];
      for (const text of texts) {
        const parsed = parse(text);
        if (parsed.kind === "issue") return parsed;
        values.push(parsed.value);
      }
      return { kind: "value", value: values };
    },
  };
}
