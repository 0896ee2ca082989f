import { quoteForeign } from "../../system/escape.ts";
import { measureDer, readDer } from "../der.ts";
import { type Prelude, read, refuse, send } from "../prelude.ts";

const startTlsOid = "1.3.6.1.4.1.1466.20037";
const sequence = 0x30;
const integer = 0x02;
const enumerated = 0x0a;
const extendedResponse = 0x78;

/** LDAPMessage 1 with an ExtendedRequest (RFC 4511 section 4.12) for StartTLS (section 4.14). */
const startTlsRequest = Buffer.concat([
  Buffer.from([sequence, 0x1d, integer, 0x01, 0x01, 0x77, 0x18, 0x80, startTlsOid.length]),
  Buffer.from(startTlsOid, "latin1"),
]);

/** StartTLS of LDAP. */
export function* createLdapPrelude(): Prelude {
  yield* send(startTlsRequest);
  const answer = yield* read("reply to StartTLS", measureMessage);
  const result = readResult(answer);
  if (result === undefined) {
    return yield* refuse("sent something else than an LDAP reply to StartTLS");
  }
  if (result.code !== 0) {
    const said = result.diagnostic === "" ? "" : `: ${quoteForeign(result.diagnostic)}`;
    yield* refuse(`refused StartTLS with LDAP result ${result.code}${said}`);
  }
}

/** A first byte that begins no LDAPMessage is a message of its own: there is nothing to wait for. */
function measureMessage(received: Buffer): number | undefined {
  if (received.length > 0 && received[0] !== sequence) {
    return received.length;
  }
  const length = measureDer(received);
  return length === null ? received.length : length;
}

function readResult(answer: Buffer): { readonly code: number; readonly diagnostic: string } | undefined {
  const message = readDer(answer);
  const [id, response] = (message?.[0]?.tag === sequence && readDer(message[0].content)) || [];
  if (id?.tag !== integer || response?.tag !== extendedResponse) {
    return undefined;
  }
  const [code, , diagnostic] = readDer(response.content) ?? [];
  const value = code?.content[0];
  if (code?.tag !== enumerated || code.content.length !== 1 || value === undefined) {
    return undefined;
  }
  return { code: value, diagnostic: diagnostic?.content.toString("utf8") ?? "" };
}
