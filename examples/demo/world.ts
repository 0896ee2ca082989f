import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { connect, type PeerCertificate } from "node:tls";
import { type RunningAgent, startAgent } from "../../test/support/agent.ts";
import { type Authority, createAuthority, type IssuedCertificate } from "../../test/support/certificates.ts";
import { type Child, startChild } from "../../test/support/child.ts";
import { createSecretVolume, type SecretVolume } from "../../test/support/secret-volume.ts";

/** What the agent's user would have in a pod: a volume, a server and the agent, all real, all on loopback. */
export interface World {
  readonly volume: SecretVolume;
  readonly server: Child;
  readonly port: number;
  readonly agent: RunningAgent;
  issue(options?: { readonly notAfter?: Date; readonly notBefore?: Date }): Promise<IssuedCertificate>;
  /** Publishes a pair as the kubelet would. */
  publish(pair: Pick<IssuedCertificate, "certificatePem" | "keyPem">): Promise<string>;
  /** What a client is served right now, by a handshake. */
  served(): Promise<Served>;
  close(): Promise<void>;
}

/** A served certificate as a client sees it. */
export interface Served {
  readonly fingerprint: string;
  readonly notAfter: Date;
}

const name = "www.demo.example";

/** Starts a volume with a first pair, the legacy server on it, and the agent beside them. */
export async function createWorld(agentFlags: readonly string[], serverFlags: readonly string[] = []): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), "certhup-demo-"));
  const authority: Authority = createAuthority({ name: "demo authority" });
  const volume = await createSecretVolume(join(directory, "tls"));
  const publish: World["publish"] = async (pair) =>
    volume.publish({ "tls.crt": pair.certificatePem, "tls.key": pair.keyPem, "ca.crt": await authority.caPem() });
  const issue: World["issue"] = (options = {}) => authority.issue({ names: [name], ...options });
  await publish(await issue());

  const pidFile = join(directory, "server.pid");
  const script = join(import.meta.dirname, "legacy-server.ts");
  const server = startChild(process.execPath, [script, volume.directory, "0", pidFile, ...serverFlags]);
  const port = Number((await server.untilOutput(/listening on (\d+)/))[1]);
  const agent = await startAgent([
    ...["--cert-dir", volume.directory, "--pid-file", pidFile, "--endpoint", `127.0.0.1:${port}`],
    ...agentFlags,
  ]);
  return {
    volume,
    server,
    port,
    agent,
    issue,
    publish,
    served: () => readServed(port),
    async close() {
      await Promise.all([agent.stop(), server.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function readServed(port: number): Promise<Served> {
  const { promise, resolve, reject } = Promise.withResolvers<Served>();
  const socket = connect({ host: "127.0.0.1", port, servername: name, rejectUnauthorized: false }, () => {
    const { fingerprint256, valid_to: notAfter }: PeerCertificate = socket.getPeerCertificate();
    socket.destroy();
    resolve({ fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(), notAfter: new Date(notAfter) });
  });
  socket.once("error", reject);
  return promise;
}
