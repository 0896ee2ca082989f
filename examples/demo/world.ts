import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { connect } from "node:tls";
import { type RunningAgent, startAgent } from "../../test/support/agent.ts";
import { createAuthority, type IssuedCertificate } from "../../test/support/certificates.ts";
import { type Child, startChild } from "../../test/support/child.ts";
import { createSecretVolume, type SecretVolume } from "../../test/support/secret-volume.ts";

/** What the agent's user would have in a pod: a volume, a server and the agent, all real, all on loopback. */
export interface World {
  readonly volume: SecretVolume;
  readonly server: Child;
  /** Where the server listens: `127.0.0.1:8443`. */
  readonly endpoint: string;
  readonly agent: RunningAgent;
  /** A pair for the world's name from the world's authority; it isn't published yet. */
  issue(): Promise<IssuedCertificate>;
  /** Publishes a pair in the kubelet's own steps. */
  publish(pair: Pick<IssuedCertificate, "certificatePem" | "keyPem">): Promise<string>;
  /** The fingerprint of the certificate that a client is served right now, by a fresh handshake. */
  served(): Promise<string>;
  /** How often the server says that it has reloaded. */
  reloads(): number;
}

const name = "www.demo.example";

/** Starts a volume with a first pair, the legacy server on it, and the agent beside them; all end with this process. */
export async function createWorld(agentFlags: readonly string[], serverFlags: readonly string[] = []): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), "certhup-demo-"));
  const children: Child[] = [];
  // Whatever ends the process, a failure or a signal: nothing is left behind.
  process.once("exit", () => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  });
  const authority = createAuthority({ name: "demo authority" });
  const volume = await createSecretVolume(join(directory, "tls"));
  const issue = (): Promise<IssuedCertificate> => authority.issue({ names: [name] });
  const publish: World["publish"] = async ({ certificatePem, keyPem }) =>
    volume.publish({ "tls.crt": certificatePem, "tls.key": keyPem, "ca.crt": await authority.caPem() });
  await publish(await issue());

  const pidFile = join(directory, "server.pid");
  const script = join(import.meta.dirname, "legacy-server.ts");
  const server = startChild(process.execPath, [script, volume.directory, "0", pidFile, ...serverFlags]);
  children.push(server);
  const [, port] = await server.untilOutput(/listening on (\d+)/);
  const endpoint = `127.0.0.1:${port}`;
  const target = ["--cert-dir", volume.directory, "--pid-file", pidFile, "--endpoint", endpoint];
  const agent = await startAgent([...target, ...agentFlags]);
  children.push(agent);
  return {
    volume,
    server,
    endpoint,
    agent,
    issue,
    publish,
    served: () => readServed(Number(port)),
    reloads: () => server.output().match(/reloaded/g)?.length ?? 0,
  };
}

function readServed(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: "127.0.0.1", port, servername: name, rejectUnauthorized: false }, () => {
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    resolve(fingerprint256.replaceAll(":", "").toLowerCase());
  });
  socket.once("error", reject);
  return promise;
}
