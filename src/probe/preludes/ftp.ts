import { type Prelude, refuse, send } from "../prelude.ts";
import { quoteReply, readFtpReply } from "./reply.ts";

/** AUTH TLS of FTP (RFC 4217). */
export function* createFtpPrelude(): Prelude {
  let greeting = yield* readFtpReply("FTP greeting");
  if (greeting.code === 120) {
    // "Service ready in nnn minutes": the greeting itself follows (RFC 959 section 5.4).
    greeting = yield* readFtpReply("FTP greeting");
  }
  if (greeting.code !== 220) {
    return yield* refuse(`turned the client away: ${quoteReply(greeting)}`);
  }
  yield* send("AUTH TLS\r\n");
  const answer = yield* readFtpReply("reply to AUTH TLS");
  if (answer.code !== 234) {
    yield* refuse(`refused AUTH TLS: ${quoteReply(answer)}`);
  }
}
