import process from "node:process";
import { stripVTControlCharacters, styleText } from "node:util";
import type { LogLine } from "../../test/support/agent.ts";

/** Who does or says something in the story. */
export type Actor = "kubelet" | "server" | "agent" | "client" | "probe";

/** Something that should happen, and what was measured; `isSeen` tells whether it did. */
export interface Observation {
  readonly expected: string;
  readonly isSeen: boolean;
  readonly measured: string;
}

const actorColours = { kubelet: "blue", server: "yellow", agent: "green", client: "magenta", probe: "cyan" } as const;
const margin = " ".repeat(12);

/** Colours only where they are wanted: not in a pipe, not under NO_COLOR (https://no-color.org). */
export function heading(text: string): void {
  console.log(`\n${styleText("bold", text)}`);
}

export function tell(actor: Actor, text: string): void {
  console.log(`   ${styleText(actorColours[actor], actor.padEnd(9))}${wrap(text)}`);
}

/** A line of the agent's log as `--log-format text` has it, with the fields that matter to the story. */
export function tellLogLine(line: LogLine): void {
  const level = String(line["level"]).toUpperCase().padEnd(5);
  const colour = level === "ERROR" ? "red" : level.startsWith("WARN") ? "yellow" : "dim";
  const head = `${String(line["time"]).slice(11, 23)} ${styleText(colour, level)} ${line["msg"]}`;
  const details = describeFields(line).map((text) => styleText("dim", text));
  tell("agent", [head, ...details].join("  "));
}

/** The first letters of a fingerprint: enough to tell the certificates of a story apart. */
export function brief(fingerprint: unknown): string {
  return String(fingerprint).slice(0, 8);
}

export function tellSummary(observations: readonly Observation[]): void {
  heading("What was seen");
  const width = Math.max(...observations.map(({ expected }) => expected.length));
  for (const { expected, isSeen, measured } of observations) {
    const mark = isSeen ? styleText("green", "✔") : styleText("red", "✘");
    console.log(` ${mark} ${expected.padEnd(width)}  ${styleText(isSeen ? "dim" : "red", measured)}`);
  }
}

function describeFields(line: LogLine): readonly string[] {
  const texts: string[] = [];
  if (line["fingerprint"] !== undefined) texts.push(`fingerprint=${brief(line["fingerprint"])}…`);
  for (const key of ["reloads", "durationMs", "attempt", "detail", "reason"]) {
    if (line[key] !== undefined) texts.push(`${key}=${/\s/.test(String(line[key])) ? `"${line[key]}"` : line[key]}`);
  }
  const findings = (line["findings"] ?? []) as readonly { readonly code: string; readonly message: string }[];
  return [...texts, ...findings.map(({ code, message }) => `${code}: ${message}`)];
}

/** Breaks a text that is too wide for the terminal at a blank, and sets the rest under its beginning. */
function wrap(text: string): string {
  const width = Math.max((process.stdout.columns ?? 120) - margin.length, 40);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (stripVTControlCharacters(longer).length <= width || line === "") line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].join(`\n${margin}`);
}
