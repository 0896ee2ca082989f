import type { Parsed } from "./option.ts";

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `500ms`, `10s`, `5m`, `1h`, `21d`, and sums of them (`1h30m`), as milliseconds. */
export function parseDuration(text: string): Parsed<number> {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join("") === text.trim();
  if (!isWhole) {
    return issue(`"${text}" is not a duration`, "write a number and its unit: 500ms, 10s, 5m, 1h, 21d");
  }
  const totalMs = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ""] ?? 0), 0);
  return totalMs <= Number.MAX_SAFE_INTEGER
    ? value(totalMs)
    : issue(`"${text}" is too long`, "write a duration below 285,000 years");
}

const unitBytes: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2 };

/** Reads `64KiB`, `1MiB`, `4096B`, as bytes, from one byte to 64 MiB. */
export function parseSize(text: string): Parsed<number> {
  const [, amount, unit = ""] = /^(\d+)(B|KiB|MiB)$/.exec(text.trim()) ?? [];
  const bytes = Number(amount) * (unitBytes[unit] ?? Number.NaN);
  return bytes >= 1 && bytes <= 64 * 1024 ** 2
    ? value(bytes)
    : issue(`"${text}" is not a size from 1B to 64MiB`, "write a number and its unit: 64KiB, 1MiB");
}

/** A duration that something divides by or waits for again and again: at least `leastMs`. */
export function parseDurationFrom(leastMs: number): (text: string) => Parsed<number> {
  return (text) => {
    const parsed = parseDuration(text);
    if (parsed.kind === "issue" || parsed.value >= leastMs) return parsed;
    return issue(`"${text}" is too short`, `write at least ${leastMs}ms`);
  };
}

/** Parses a whole number from `least` to `most`. */
export function parseCount(least: number, most: number): (text: string) => Parsed<number> {
  return (text) => {
    const count = Number(text);
    const isCount = /^\d+$/.test(text.trim()) && count >= least && count <= most;
    return isCount
      ? value(count)
      : issue(`"${text}" is not a whole number from ${least} to ${most}`, `write for example ${least}`);
  };
}

/** Parses one of a closed list of words. */
export function parseChoice<Choice extends string>(choices: readonly Choice[]): (text: string) => Parsed<Choice> {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text.trim());
    return choice === undefined
      ? issue(`"${text}" is not one of ${choices.join(", ")}`, `choose ${choices.join(" or ")}`)
      : value(choice);
  };
}

/** Parses true, 1, yes or on and false, 0, no or off, in any case. */
export function parseSwitch(text: string): Parsed<boolean> {
  switch (text.trim().toLowerCase()) {
    case "true":
    case "1":
    case "yes":
    case "on":
      return value(true);
    case "false":
    case "0":
    case "no":
    case "off":
      return value(false);
    default:
      return issue(`"${text}" is neither true nor false`, "write true or false");
  }
}

/** Takes any text but a blank one, without the blanks around it. */
export function parseText(text: string): Parsed<string> {
  return text.trim() === "" ? issue("the value is empty", "give a value, or leave the option out") : value(text.trim());
}

/** Where to listen; without a host on every address, IPv6 with IPv4 or, where there is no IPv6, IPv4 alone. */
export interface ListenAddress {
  readonly host: string | undefined;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** Reads `:10087`, `127.0.0.1:10087`, `[::1]:10087`. */
export function parseListenAddress(text: string): Parsed<ListenAddress> {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s/]*)):(\d{1,5})$/.exec(text.trim()) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    return issue(`"${text}" is not an address to listen on`, "write :10087, 127.0.0.1:10087 or [::1]:10087");
  }
  return value({ host: bracketed ?? (plain === "" ? undefined : plain), port });
}

function value<Value>(result: Value): Parsed<Value> {
  return { kind: "value", value: result };
}

function issue(message: string, hint: string): Parsed<never> {
  return { kind: "issue", message, hint };
}
