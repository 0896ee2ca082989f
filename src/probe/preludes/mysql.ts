import { quoteForeign } from "../../system/escape.ts";
import { type Prelude, read, refuse, send } from "../prelude.ts";

const headerLength = 4;
const protocolVersion = 10;
const errorPacket = 0xff;

const clientLongPassword = 0x0000_0001;
const clientProtocol41 = 0x0000_0200;
const clientSsl = 0x0000_0800;
const clientSecureConnection = 0x0000_8000;
const clientPluginAuth = 0x0008_0000;

/** SSLRequest of MySQL and MariaDB (MySQL internals, "Connection Phase"): the server greets, the client asks. */
export function* createMysqlPrelude(): Prelude {
  const packet = yield* read("MySQL greeting", measurePacket);
  const payload = packet.subarray(headerLength);
  if (payload[0] === errorPacket) {
    return yield* refuse(`turned the client away: ${quoteForeign(payload.subarray(3).toString("latin1"))}`);
  }
  const capabilities = packet[3] === 0 ? readCapabilities(payload) : undefined;
  if (capabilities === undefined) {
    return yield* refuse("sent something else than a MySQL greeting of protocol version 10");
  }
  if ((capabilities & clientSsl) === 0) {
    return yield* refuse("offers no TLS: is ssl_cert configured there?");
  }
  yield* send(createSslRequest());
}

/** The length of the packet that the bytes begin with, its header included. */
export function measurePacket(received: Buffer): number | undefined {
  return received.length < headerLength ? undefined : headerLength + received.readUIntLE(0, 3);
}

/** The lower 16 capability flags: they follow the version text, the thread's id, 8 bytes of salt and a filler. */
function readCapabilities(payload: Buffer): number | undefined {
  const versionEnd = payload.indexOf(0, 1);
  const offset = versionEnd + 1 + 4 + 8 + 1;
  if (payload[0] !== protocolVersion || versionEnd === -1 || payload.length < offset + 2) {
    return undefined;
  }
  return payload.readUInt16LE(offset);
}

function createSslRequest(): Buffer {
  return createPacket(1, createClientHead());
}

/** The client's answer to the greeting, inside TLS: a user without a password (HandshakeResponse41). */
export function createLoginPacket(user: string): Buffer {
  const rest = Buffer.from(`${user}\0\0mysql_native_password\0`, "latin1");
  return createPacket(2, Buffer.concat([createClientHead(), rest]));
}

/** What SSLRequest and the answer to the greeting begin with. */
function createClientHead(): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt32LE(clientLongPassword | clientProtocol41 | clientSsl | clientSecureConnection | clientPluginAuth, 0);
  head.writeUInt32LE(2 ** 24 - 1, 4);
  // utf8mb3_general_ci, known to every version.
  head.writeUInt8(33, 8);
  return head;
}

function createPacket(sequence: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([payload.length, 0, 0, sequence]), payload]);
}
