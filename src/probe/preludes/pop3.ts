import { quoteForeign } from "../../system/escape.ts";
import { type Prelude, readLine, refuse, send } from "../prelude.ts";

/** STLS of POP3 (RFC 2595 section 4). */
export function* createPop3Prelude(): Prelude {
  const greeting = yield* readLine("POP3 greeting");
  if (!isPositive(greeting)) {
    return yield* refuse(`sent ${quoteForeign(greeting)} as POP3 greeting`);
  }
  yield* send("STLS\r\n");
  const answer = yield* readLine("reply to STLS");
  if (!isPositive(answer)) {
    yield* refuse(`refused STLS: ${quoteForeign(answer)}`);
  }
}

function isPositive(line: string): boolean {
  return /^\+OK(?: |$)/.test(line);
}
