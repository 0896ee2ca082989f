import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from "pino";
import { escapeForeign } from "./escape.ts";
import { escapeJson } from "./json-text.ts";

/** The agent's log. Every line has a constant message and an `event` from one vocabulary. */
export type Log = Logger;

/** What a log looks like: one JSON object a line, or a line for people. */
export interface LogOptions {
  readonly format: "json" | "text";
  readonly level: "debug" | "info" | "warn" | "error" | "silent";
}

/** A log that writes one line at a time, foreign text escaped, to the standard output unless told otherwise. */
export function createLog(options: LogOptions, output: DestinationStream = createStandardOutput()): Log {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => output.write(options.format === "json" ? escapeJson(line) : toText(line)) },
  );
}

/** Lines that can't be written, on a full disk or a closed pipe, are lost: the agent's work is not its log. */
function createStandardOutput(): DestinationStream {
  const output = destination({ fd: 1, sync: true });
  output.on("error", () => undefined);
  return {
    write(line) {
      try {
        output.write(line);
      } catch {
        // The same: status and metrics still tell.
      }
    },
  };
}

/** `12:09:10.123 INFO  keypair accepted  target=default fingerprint=3f0a…` */
function toText(line: string): string {
  const { level, time, msg, event: _, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 23);
  const pairs = Object.entries(fields).flatMap(([key, value]) => toPairs(key, value));
  return `${clock} ${String(level).toUpperCase().padEnd(5)} ${[escapeForeign(String(msg), 200), ...pairs].join("  ")}\n`;
}

function toPairs(key: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => toPairs(key, entry));
  if (typeof value !== "object" || value === null) return [`${key}=${quote(String(value))}`];
  return Object.entries(value).flatMap(([name, inner]) => toPairs(`${key}.${name}`, inner));
}

function quote(text: string): string {
  const escaped = escapeForeign(text, 500);
  return /[\s"=]/.test(escaped) ? `"${escaped.replaceAll('"', '\\"')}"` : escaped;
}
