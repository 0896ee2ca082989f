import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { afterAll, expect, onTestFinished } from "vitest";
import { type CommandResult, type RunningAgent, startAgent, startBundle, waitForEnd } from "./agent.ts";
import { createAuthority, type IssuedCertificate, type IssueOptions } from "./certificates.ts";
import { type Child, startChild } from "./child.ts";
import { findFreePort } from "./free-port.ts";
import { createKeyLedger } from "./key-ledger.ts";
import { createSecretVolume, type SecretFiles, type SecretVolume } from "./secret-volume.ts";

// Everything that the agents and servers of a test file print, and every key that they are given, is gathered here.
const ledger = createKeyLedger();

afterAll(() => {
  expect(ledger.findLeaks()).toEqual([]);
});

/** What the server of a stage does on SIGHUP but for reloading; see `server-program.ts`. */
export type Habit = "deaf" | "closing" | "rereading" | "legacy" | "draining";

/** A TLS server in a process of its own. */
export interface StagedServer extends Child {
  /** How often it got SIGHUP. */
  told(): number;
}

type Pair = Pick<IssuedCertificate, "certificatePem" | "keyPem">;

/** A Secret volume, and the places where a server and an agent for it can be started; all gone when the test ends. */
export interface Stage {
  readonly volume: SecretVolume;
  readonly endpoint: string;
  /** The flags that name volume, server and endpoint. */
  readonly target: readonly string[];
  caPem(): Promise<string>;
  issue(options?: Partial<IssueOptions>): Promise<IssuedCertificate>;
  /** Publishes a pair as the kubelet would, with the authority's certificate beside it. */
  publish(pair: Pair): Promise<string>;
  publishFiles(files: SecretFiles): Promise<string>;
  /**
   * @param directory where it reads its pair; the volume when absent
   * @param options of `tls.createServer` and of `listen`
   */
  startServer(habit?: Habit, directory?: string, options?: object): Promise<StagedServer>;
  /** Starts the agent with short intervals, verbose, for volume and server of the stage; later flags win. */
  startAgent(
    flags?: readonly string[],
    environment?: Readonly<Record<string, string>>,
    prefix?: readonly string[],
  ): Promise<RunningAgent>;
  /** Starts the agent with these flags for volume, server and endpoint instead of the stage's own. */
  startAgentWith(target: readonly string[]): Promise<RunningAgent>;
  /** The fingerprint of the certificate that a client is served right now. */
  served(): Promise<string>;
}

const quick = [
  "--watch-interval",
  "300ms",
  "--verify-interval",
  "500ms",
  "--min-interval",
  "100ms",
  "--log-level",
  "debug",
];
const program = fileURLToPath(new URL("server-program.ts", import.meta.url));

/** Sets up a stage with an empty volume. */
export async function createStage(): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "certhup-stage-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const authority = createAuthority();
  const volume = await createSecretVolume(join(directory, "tls"));
  const port = await findFreePort();
  const pidFile = join(directory, "server.pid");
  const endpoint = `127.0.0.1:${port}`;
  const target = ["--cert-dir", volume.directory, "--pid-file", pidFile, "--endpoint", endpoint];
  const publishFiles: Stage["publishFiles"] = (files) => {
    for (const content of Object.values(files)) ledger.addKey(content);
    return volume.publish(files);
  };
  return {
    volume,
    endpoint,
    target,
    caPem: () => authority.caPem(),
    issue: (options = {}) => authority.issue({ names: ["stage.example"], ...options }),
    publish: async ({ certificatePem, keyPem }) =>
      publishFiles({ "tls.crt": certificatePem, "tls.key": keyPem, "ca.crt": await authority.caPem() }),
    publishFiles,
    async startServer(habit, from = volume.directory, options = {}) {
      const args = [program, from, String(port), pidFile, habit ?? "", JSON.stringify(options)];
      const child = startChild(process.execPath, args);
      endWithTest("server", child);
      await child.untilOutput(/listening/);
      return { ...child, told: () => child.output().match(/told to reload/g)?.length ?? 0 };
    },
    startAgent: (flags = [], environment = {}, prefix = []) =>
      startStagedAgent([...target, ...quick, ...flags], environment, prefix),
    startAgentWith: (flags) => startStagedAgent([...flags, ...quick]),
    served: () => readServed(port),
  };
}

/**
 * Starts the agent with these flags and no others; what it prints and answers is searched for keys.
 *
 * @param prefix a command that becomes the agent
 */
export async function startStagedAgent(
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  prefix: readonly string[] = [],
): Promise<RunningAgent> {
  const agent = await startAgent(flags, environment, prefix);
  endWithTest("agent", agent);
  const note = (where: string, text: string): string => {
    ledger.addText(where, text);
    return text;
  };
  return {
    ...agent,
    metrics: async () => note("/metrics", await agent.metrics()),
    async ready() {
      const answer = await agent.ready();
      note("/readyz", answer.text);
      return answer;
    },
    async status() {
      const document = await agent.status();
      note("/status", JSON.stringify(document));
      return document;
    },
  };
}

/** Runs a command of the bundle to its end; what it prints is searched for keys. */
export async function certhup(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const child = startBundle(args, environment);
  endWithTest(`certhup ${args[0]}`, child);
  return await waitForEnd(child);
}

/** Ends a child with the test, and notes everything that it wrote. */
export function endWithTest(what: string, child: Child): void {
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await child.ended;
    ledger.addText(what, child.output());
  });
}

/** How much was searched for keys so far. */
export function searched(): { readonly keys: number; readonly characters: number } {
  return ledger.size;
}

/** One handshake as a client makes it; the fingerprint of the leaf. */
function readServed(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    resolve(fingerprint256.replaceAll(":", "").toLowerCase());
  });
  socket.once("error", reject);
  return promise;
}
