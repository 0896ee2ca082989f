import { open } from "node:fs/promises";
import { isIP } from "node:net";
import { endianness } from "node:os";
import { join } from "node:path";

/** A socket that takes connections, as the kernel lists it (proc_pid_net(5), `tcp`). */
interface Listener {
  /** The bytes of the address: 4 or 16. */
  readonly address: Buffer;
  readonly port: number;
}

const rowShape = /^ *\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{2}) /;
/** TCP_LISTEN. */
const listening = "0A";
/** Room for four hundred rows of IPv4: the kernel lists those who listen before all others. */
const longestList = 64 * 1024;
const pieceLength = 4096;
const anyIpv4 = Buffer.alloc(4);
const anyIpv6 = Buffer.alloc(16);
/** The only address of loopback for IPv6. */
const loopbackIpv6 = Buffer.from("1".padStart(32, "0"), "hex");

/**
 * How many sockets of this network namespace take the connections to an address and port of loopback. Processes that
 * share a port by SO_REUSEPORT (socket(7)) have one each, and the kernel gives each connection to any of them. 1 where
 * it can't be told.
 *
 * @param nowMs monotonic
 */
export async function countListeners(host: string, port: number, nowMs: number, procRoot = "/proc"): Promise<number> {
  const listIpv6 = join(procRoot, "self/net/tcp6");
  if (isIP(host) === 6) {
    const listeners = await list(listIpv6, nowMs);
    return count(listeners, loopbackIpv6, port) || count(listeners, anyIpv6, port) || 1;
  }
  const listeners = await list(join(procRoot, "self/net/tcp"), nowMs);
  const address = Buffer.from(host.split(".").map(Number));
  // The kernel prefers a socket of the very address, then one of the same family.
  const own = count(listeners, address, port) || count(listeners, anyIpv4, port);
  return own || count(await list(listIpv6, nowMs), anyIpv6, port) || 1;
}

/** What a port is shared by must be missed by this many handshakes in a row no more than once in ten. */
const acceptedMiss = 0.1;
const mostHandshakes = 32;

/**
 * How many handshakes find each of the listeners behind a port with a probability of nine in ten; the usual three rounds
 * of a confirmation then miss one of them once in a thousand.
 */
export function handshakesToMeetAll(listeners: number): number {
  if (listeners <= 1) return 1;
  return Math.min(Math.ceil(Math.log(acceptedMiss) / Math.log(1 - 1 / listeners)), mostHandshakes);
}

function count(listeners: readonly Listener[], address: Buffer, port: number): number {
  return listeners.filter((listener) => listener.port === port && listener.address.equals(address)).length;
}

/** What was listed last. To list costs the kernel two milliseconds (it goes through every bucket), and probes come in crowds. */
const lists = new Map<string, { readonly readMs: number; readonly listeners: Promise<readonly Listener[]> }>();
/** Shorter than a server takes to start. */
const longestUseMs = 100;

function list(path: string, nowMs: number): Promise<readonly Listener[]> {
  const known = lists.get(path);
  if (known !== undefined && Math.abs(nowMs - known.readMs) <= longestUseMs) return known.listeners;
  const listeners = readListeners(path);
  lists.set(path, { readMs: nowMs, listeners });
  return listeners;
}

/** The list is read piece by piece; what comes behind the first row of another state is of no interest. */
async function readListeners(path: string): Promise<readonly Listener[]> {
  const listeners: Listener[] = [];
  const handle = await open(path).catch(() => undefined);
  try {
    const piece = Buffer.alloc(pieceLength);
    let rest = "";
    for (let read = 0; handle !== undefined && read < longestList; read += pieceLength) {
      const { bytesRead } = await handle.read(piece, 0, pieceLength, null);
      const rows = (rest + piece.toString("latin1", 0, bytesRead)).split("\n");
      rest = rows.pop() ?? "";
      for (const row of rows.slice(read === 0 ? 1 : 0)) {
        const listener = parseRow(row);
        if (listener === undefined) return listeners;
        listeners.push(listener);
      }
      if (bytesRead === 0) break;
    }
  } catch {
    // What was read until then is all there is to know.
  } finally {
    await handle?.close();
  }
  return listeners;
}

function parseRow(row: string): Listener | undefined {
  const [, address, port, state] = rowShape.exec(row) ?? [];
  if (address === undefined || port === undefined || state !== listening) return undefined;
  return { address: fromKernel(address), port: Number.parseInt(port, 16) };
}

/** Words of 32 bits, each written as this machine holds it. */
function fromKernel(hex: string): Buffer {
  const bytes = Buffer.from(hex, "hex");
  return endianness() === "LE" ? bytes.swap32() : bytes;
}
