import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { IssuedCertificate } from "./certificates.ts";
import { type DebianServerName, recipes, withSecondPort } from "./tls-server-debian-recipes.ts";
import { until } from "./until.ts";

/** A real server, running as a child of the test. */
export interface DebianServer extends AsyncDisposable {
  readonly port: number;
  /** Everything it wrote so far. */
  readonly readLog: () => string;
}

/**
 * Starts one of Debian's servers on a free port of 127.0.0.1 with a directory of its own under /tmp.
 *
 * @param pair what it serves; undefined leaves TLS unconfigured
 * @throws Error with its log where it doesn't take connections within 20 seconds
 */
export async function startDebianServer(
  name: DebianServerName,
  pair: IssuedCertificate | undefined,
): Promise<DebianServer> {
  const directory = await mkdtemp(join(tmpdir(), `certhup-${name}-`));
  // The servers' own users must get through.
  await chmod(directory, 0o755);
  const port = await findFreePorts();
  const files = { certificate: join(directory, "cert.pem"), key: join(directory, "key.pem") };
  if (pair !== undefined) {
    await writeFile(files.certificate, pair.certificatePem);
    await writeFile(files.key, pair.keyPem, { mode: 0o600 });
  }
  const [command = "", ...args] = await recipes[name](directory, port, pair === undefined ? undefined : files);
  const logFile = join(directory, "log");
  // A file and no pipe: some servers open /dev/stdout anew, which a pipe of Node (a socket) doesn't allow.
  const output = openSync(logFile, "a");
  const child = spawn(command, args, { cwd: directory, detached: true, stdio: ["ignore", output, output] });
  closeSync(output);
  const readLog = (): string => readFileSync(logFile, "utf8");
  const server: DebianServer = {
    port,
    readLog,
    async [Symbol.asyncDispose]() {
      await end(child);
      await rm(directory, { recursive: true, force: true });
    },
  };
  try {
    for (const listener of withSecondPort.has(name) ? [port, port + 1] : [port]) {
      await until(() => takesConnections(listener), Boolean, {
        timeoutMs: 20_000,
        what: `${name} on port ${listener}`,
      });
    }
    return server;
  } catch (error) {
    const log = readLog();
    await server[Symbol.asyncDispose]();
    throw new Error(`${name} did not start:\n${log}`, { cause: error });
  }
}

/** The first of two free ports in a row. */
async function findFreePorts(): Promise<number> {
  for (;;) {
    const port = await bind(0);
    if (port !== undefined && (await bind(port + 1)) !== undefined) {
      return port;
    }
  }
}

/** Listens for a moment; undefined where somebody else does. */
async function bind(wanted: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(wanted, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return undefined;
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } finally {
    socket.destroy();
  }
}

/** Ends the whole process group, gently first. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) {
    return;
  }
  const group = -child.pid;
  const isGone = (): boolean => {
    try {
      process.kill(group, 0);
      return false;
    } catch {
      // No process of the group is left.
      return true;
    }
  };
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isGone()) {
      process.kill(group, signal);
    }
    try {
      await until(isGone, Boolean, { timeoutMs: 5000 });
      return;
    } catch {
      // It takes more than a request.
    }
  }
}
