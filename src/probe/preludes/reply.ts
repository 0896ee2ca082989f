import { quoteForeign } from "../../system/escape.ts";
import { type PreludePart, readLine, refuse } from "../prelude.ts";

/** A reply of one or more lines behind a three-digit code (RFC 5321 section 4.2, RFC 959 section 4.2). */
export interface Reply {
  readonly code: number;
  /** The lines without their code. */
  readonly lines: readonly string[];
}

/** Reads a reply in which every line carries the code, as SMTP has it. */
export function* readSmtpReply(what: string): PreludePart<Reply> {
  const lines: string[] = [];
  let code: string | undefined;
  for (;;) {
    const line = yield* readLine(what);
    const parts = /^([2-5]\d\d)(?:([ -])(.*))?$/.exec(line);
    if (parts === null || (code !== undefined && parts[1] !== code)) {
      return yield* refuse(`sent ${quoteForeign(line)} as ${what}`);
    }
    code = parts[1];
    lines.push(parts[3] ?? "");
    if (parts[2] !== "-") {
      return { code: Number(code), lines };
    }
  }
}

/** Reads a reply in which only the first and the last line need the code, as FTP has it. */
export function* readFtpReply(what: string): PreludePart<Reply> {
  const first = yield* readLine(what);
  const parts = /^([1-5]\d\d)([ -])(.*)$/.exec(first);
  const [, code = "", separator, text = ""] = parts ?? [];
  if (parts === null) {
    return yield* refuse(`sent ${quoteForeign(first)} as ${what}`);
  }
  const lines = [text];
  for (let isLast = separator === " "; !isLast; ) {
    const line = yield* readLine(what);
    isLast = line.startsWith(`${code} `);
    lines.push(isLast ? line.slice(4) : line);
  }
  return { code: Number(code), lines };
}

/** A reply in one line, for the words of a failure. */
export function quoteReply(reply: Reply): string {
  return quoteForeign(`${reply.code} ${reply.lines.join(" ")}`);
}
