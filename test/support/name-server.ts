import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** A name server of a test's own, and the way to make a program ask it. */
export interface NameServer extends AsyncDisposable {
  /** Becomes the program whose words follow: whoever it is then asks this server, for names and nothing else. */
  readonly prefix: readonly string[];
  /** How many questions came so far, repeated ones included. */
  count(): number;
}

const typeA = 1;

/**
 * Starts a name server (RFC 1035) that knows these IPv4 addresses, says that it knows nothing else of these names, and
 * never answers a question about another name.
 */
export async function startNameServer(known: ReadonlyMap<string, readonly string[]>): Promise<NameServer> {
  // Loopback has many addresses: one for each process that tests.
  const address = `127.${(process.pid >> 8) & 255}.${process.pid & 255}.53`;
  let questions = 0;
  const socket = createSocket("udp4", (query, { port, address: from }) => {
    questions += 1;
    const { name, end } = readName(query);
    const addresses = known.get(name);
    if (addresses === undefined) return;
    const answers = query.readUInt16BE(end) === typeA ? addresses : [];
    socket.send(answer(query.subarray(0, end + 4), answers), port, from);
  });
  socket.bind(53, address);
  await once(socket, "listening");
  const directory = await mkdtemp(join(tmpdir(), "certhup-names-"));
  const files = {
    "resolv.conf": `nameserver ${address}\n`,
    hosts: "127.0.0.1 localhost\n",
    "nsswitch.conf": "hosts: files dns\n",
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  const mounts = Object.keys(files).map((name) => `mount --bind "$1/${name}" "$(readlink -f /etc/${name})"`);
  return {
    prefix: ["unshare", "--mount", "sh", "-e", "-c", `${mounts.join("; ")}; shift; exec "$@"`, "sh", directory],
    count: () => questions,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
      await rm(directory, { recursive: true });
    },
  };
}

/** The first name of a message, and where it ends; a question's name is never compressed. */
function readName(message: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function answer(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180, 2);
  for (const [at, count] of [1, addresses.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * at);
  // The name by reference to the question, class IN, no time to live, four bytes.
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}
