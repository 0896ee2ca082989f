import { quoteForeign } from "../../system/escape.ts";
import { type Prelude, read, refuse, send } from "../prelude.ts";

/** Length 8 and the code 80877103 (PostgreSQL documentation, "Message Formats", SSLRequest). */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** SSLRequest of PostgreSQL: one byte answers it. */
export function* createPostgresPrelude(): Prelude {
  yield* send(sslRequest);
  const answer = yield* read("answer to SSLRequest", () => 1);
  switch (answer.toString("latin1")) {
    case "S":
      return;
    case "N":
      return yield* refuse("speaks no TLS: ssl is off in its configuration, or it could not load its certificate");
    case "E":
      return yield* refuse("answered SSLRequest with an error: it is too old for TLS, or out of resources");
    default:
      return yield* refuse(`answered SSLRequest with ${quoteForeign(answer.toString("latin1"))}: not PostgreSQL`);
  }
}
