import { type Prelude, read, send } from "../prelude.ts";
import { createLoginPacket, measurePacket } from "./mysql.ts";

/** A user that nobody has to create; where it exists without a password, the login succeeds and is closed at once. */
const user = "certhup";
const authenticationSwitch = 0xfe;
const moreAuthentication = 0x01;
const ok = 0x00;
const quit = Buffer.from([1, 0, 0, 0, 1]);

/** More exchanges than any authentication plugin asks for. */
const mostExchanges = 6;

/**
 * A login inside TLS that may well be denied. MySQL and MariaDB count every client that hangs up before its login and
 * block its whole address after `max_connect_errors` (100) of them, the real clients on it included; a denied login
 * doesn't count. Loopback addresses are never counted.
 */
export function* createMysqlFarewell(): Prelude {
  yield* send(createLoginPacket(user));
  for (let exchange = 0; exchange < mostExchanges; exchange++) {
    const packet = yield* read("reply to the login", measurePacket);
    const [, , , sequence = 0, kind] = packet;
    if (kind === authenticationSwitch || kind === moreAuthentication) {
      // An empty password, as text inside TLS.
      yield* send(Buffer.from([1, 0, 0, (sequence + 1) & 0xff, 0]));
      continue;
    }
    if (kind === ok) {
      yield* send(quit);
    }
    return;
  }
}
