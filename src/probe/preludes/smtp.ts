import { type Prelude, refuse, send } from "../prelude.ts";
import { quoteReply, readSmtpReply } from "./reply.ts";

/** STARTTLS of SMTP (RFC 3207). */
export function* createSmtpPrelude(): Prelude {
  const greeting = yield* readSmtpReply("SMTP greeting");
  if (greeting.code !== 220) {
    return yield* refuse(`turned the client away: ${quoteReply(greeting)}`);
  }
  yield* send("EHLO certhup.invalid\r\n");
  const features = yield* readSmtpReply("reply to EHLO");
  if (features.code !== 250) {
    return yield* refuse(`refused EHLO: ${quoteReply(features)}`);
  }
  if (!features.lines.some((line) => line.toUpperCase() === "STARTTLS")) {
    return yield* refuse("offers no STARTTLS: is TLS configured there?");
  }
  yield* send("STARTTLS\r\n");
  const answer = yield* readSmtpReply("reply to STARTTLS");
  if (answer.code !== 220) {
    yield* refuse(`refused STARTTLS: ${quoteReply(answer)}`);
  }
}
