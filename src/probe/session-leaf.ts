import type { TLSSocket } from "node:tls";
import { measureDer, readDer } from "./der.ts";

/** What Node writes before the session since 24: a mark, and the host as a length of two bytes and its text. */
const nodePrefix = Buffer.from("\0nodejs:tls:session:1\0", "latin1");
/** `peer [3] EXPLICIT Certificate OPTIONAL` of the SSLSession structure (OpenSSL, ssl/ssl_asn1.c). */
const peerTag = 0xa3;

/**
 * The DER of the leaf that the server presented, out of the session that the handshake made; undefined where the
 * session doesn't hold it or has a form that isn't known. The rest of the session is secret and is overwritten.
 */
export function readSessionLeaf(socket: TLSSocket): Buffer | undefined {
  const session = socket.getSession();
  if (session === undefined) {
    return undefined;
  }
  try {
    return findLeaf(session);
  } finally {
    session.fill(0);
  }
}

function findLeaf(session: Buffer): Buffer | undefined {
  const isPrefixed =
    session.subarray(0, nodePrefix.length).equals(nodePrefix) && session.length > nodePrefix.length + 2;
  const start = isPrefixed ? nodePrefix.length + 2 + session.readUInt16BE(nodePrefix.length) : 0;
  const der = session.subarray(start);
  if (measureDer(der) !== der.length) {
    return undefined;
  }
  const [structure] = readDer(der) ?? [];
  const peer = structure && readDer(structure.content)?.find(({ tag }) => tag === peerTag);
  return peer && Buffer.from(peer.content);
}
