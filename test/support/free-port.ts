import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that the kernel gives to outgoing connections, so that none of them can take it meanwhile. */
const lowest = 12_000;
const highest = 32_000;

/** A port of 127.0.0.1 on which nothing listens, for a server that is started later or more than once. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${lowest} and ${highest} was found in 100 attempts`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    // Taken by someone else.
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
