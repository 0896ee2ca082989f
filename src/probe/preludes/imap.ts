import { quoteForeign } from "../../system/escape.ts";
import { type Prelude, readLine, refuse, send } from "../prelude.ts";

const tag = "c1";

/** STARTTLS of IMAP (RFC 9051 section 6.2.1). */
export function* createImapPrelude(): Prelude {
  const greeting = yield* readLine("IMAP greeting");
  if (/^\* PREAUTH\b/i.test(greeting)) {
    return yield* refuse("logs the client in before TLS (PREAUTH), which rules STARTTLS out");
  }
  if (!/^\* OK\b/i.test(greeting)) {
    return yield* refuse(`sent ${quoteForeign(greeting)} as IMAP greeting`);
  }
  yield* send(`${tag} STARTTLS\r\n`);
  let answer = yield* readLine("reply to STARTTLS");
  while (answer.startsWith("* ") && !/^\* BYE\b/i.test(answer)) {
    answer = yield* readLine("reply to STARTTLS");
  }
  if (!/^c1 OK\b/i.test(answer)) {
    yield* refuse(`refused STARTTLS: ${quoteForeign(answer)}`);
  }
}
