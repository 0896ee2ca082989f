import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, inject, onTestFailed, onTestFinished } from "vitest";
import type { IssuedCertificate } from "./certificates.ts";
import {
  type Handshake,
  type Sample,
  type StatusDocument,
  samplesOf,
  shakeHands,
  type TargetStatus,
} from "./pod-answers.ts";
import { type Address, type PodContainer, podUser, RestrictedContainer } from "./pod-container.ts";
import { type Member, type PodOptions, type PodsContext, runLabel, secretFileFor } from "./pod-member.ts";
import { createSecretVolume, type SecretFiles, type SecretVolume } from "./secret-volume.ts";
import { until } from "./until.ts";

/** Far beyond what anything here takes, for machines under load. */
const waitLimitMs = 30_000;

const usualPort = 8443;
const agentPort = 10087;
const certificateDirectory = "/certs";

/** Quick enough for a test to see every state, slow enough for two cores. */
const agentDefaults: Readonly<Record<string, string>> = {
  "cert-dir": certificateDirectory,
  reload: "signal",
  "process-name": "nginx",
  signal: "HUP",
  endpoint: `127.0.0.1:${usualPort}`,
  "verify-timeout": "5s",
  "verify-interval": "1s",
  "stale-grace": "5s",
  "watch-interval": "5s",
  "listen-address": `:${agentPort}`,
  "log-format": "json",
};

/**
 * A pod as the kubelet would make it: containers that share network and processes, and a Secret volume mounted whole.
 * It goes with the test that started it; when that test fails, the logs of its containers are printed.
 */
export class Pod {
  /** A directory on this machine that goes with the pod. */
  readonly directory: string;
  readonly volume: SecretVolume;
  readonly #context: PodsContext;
  readonly #options: PodOptions;
  readonly #holder: PodContainer;
  readonly #containers: Map<string, PodContainer>;
  /** Everything the agent answered, and every key it could have let out. */
  readonly #answers: string[] = [];
  readonly #keys: string[] = [];

  constructor(
    context: PodsContext,
    directory: string,
    volume: SecretVolume,
    holder: PodContainer,
    options: PodOptions,
  ) {
    this.directory = directory;
    this.volume = volume;
    this.#context = context;
    this.#options = options;
    this.#holder = holder;
    this.#containers = new Map([["pause", holder]]);
  }

  /** Publishes a pair in the volume, in the kubelet's own steps. */
  async publish(pair: Pick<IssuedCertificate, "certificatePem" | "keyPem">, more: SecretFiles = {}): Promise<void> {
    this.#keys.push(pair.keyPem);
    await this.volume.publish(
      { "tls.crt": pair.certificatePem, "tls.key": pair.keyPem, ...more },
      this.#options.secretFile ?? secretFileFor(podUser),
    );
  }

  /** Starts nginx, which serves the volume's pair on the pod's port 8443. */
  startNginx(): Promise<PodContainer> {
    return this.launch("nginx", { mounts: [this.secretMount()], scratch: ["/tmp"] });
  }

  /** Starts the agent; flags given replace the defaults, and one that is undefined goes. */
  startAgent(flags: Readonly<Record<string, string | undefined>> = {}): Promise<PodContainer> {
    const all = Object.entries({ ...agentDefaults, ...flags });
    const command = all.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
    return this.launch("agent", {
      image: this.#context.agentImage,
      command: ["run", ...command],
      mounts: [this.secretMount()],
    });
  }

  /** The image that the agent ships in. */
  get agentImage(): string {
    return this.#context.agentImage;
  }

  /** The Secret volume, mounted whole. */
  secretMount(target: string = certificateDirectory): NonNullable<Member["mounts"]>[number] {
    return { source: this.volume.directory, target, mode: "ro" };
  }

  /** Starts a container in the pod. */
  async launch(name: string, member: Member): Promise<PodContainer> {
    const { image = this.#context.serversImage, entrypoint, command, environment = {}, mounts = [] } = member;
    const container = new RestrictedContainer(image)
      .joining(this.#holder)
      .relaxed(member)
      .withLabels({ [runLabel]: this.#context.run })
      .withEnvironment(environment)
      .withBindMounts([...mounts])
      .withTmpFs(Object.fromEntries((member.scratch ?? []).map((path) => [path, "mode=1777"])));
    if (entrypoint !== undefined) container.withEntrypoint([...entrypoint]);
    if (command !== undefined) container.withCommand([...command]);
    const launched = await container.launch();
    this.#containers.set(name, launched);
    return launched;
  }

  /** Where the pod's server is reached from outside. */
  get serverAddress(): Address {
    return this.#holder.address(this.#options.serverPort ?? usualPort);
  }

  /** One handshake with the pod's server, from outside. */
  shakeHands(): Promise<Handshake> {
    return shakeHands(this.serverAddress);
  }

  /** Asks the agent; a page that says "not ready" is an answer like any other. */
  async ask(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const { host, port } = this.#holder.address(agentPort);
    const response = await fetch(`http://${host}:${port}${path}`, { signal: AbortSignal.timeout(5000) });
    const body = await response.text();
    this.#answers.push(body);
    return { status: response.status, body };
  }

  /** The only target's part of the agent's `/status`. */
  async status(): Promise<TargetStatus> {
    const { body } = await this.ask("/status");
    const document = JSON.parse(body) as StatusDocument;
    const [target] = document.targets;
    if (target === undefined) throw new Error(`the status document has no target: ${body}`);
    return target;
  }

  /** The samples of one of the agent's metrics, or only those with these labels. */
  async samples(metric: string, labels: Sample["labels"] = {}): Promise<readonly Sample[]> {
    const wanted = Object.entries(labels);
    const samples = samplesOf((await this.ask("/metrics")).body, metric);
    return samples.filter((sample) => wanted.every(([name, value]) => sample.labels[name] === value));
  }

  /** Waits until a handshake shows this pair's certificate. */
  async untilServed(pair: Pick<IssuedCertificate, "fingerprint">): Promise<void> {
    await until(
      () => this.shakeHands(),
      (handshake) => "fingerprint" in handshake && handshake.fingerprint === pair.fingerprint,
      { timeoutMs: waitLimitMs, what: `${pair.fingerprint} to be served` },
    );
  }

  /** Waits until the agent gives this readiness to the target. */
  untilState(state: string): Promise<TargetStatus> {
    return until(
      () => this.status(),
      (target) => target.readiness.state === state,
      { timeoutMs: waitLimitMs, what: `the state ${state}` },
    );
  }

  /** Waits until the newest rotation ended confirmed, and was this pair's. */
  untilConfirmed(pair: Pick<IssuedCertificate, "fingerprint">): Promise<TargetStatus> {
    return until(
      () => this.status(),
      ({ rotations: [newest] }) => newest?.outcome === "confirmed" && newest.fingerprint === pair.fingerprint,
      { timeoutMs: waitLimitMs, everyMs: 50, what: `${pair.fingerprint} to be confirmed` },
    );
  }

  /** How often nginx was told to reload, by its own log. */
  async nginxReloads(): Promise<number> {
    const log = await this.#containers.get("nginx")?.logs();
    return (log ?? "").split("\n").filter((line) => line.includes("(SIGHUP) received")).length;
  }

  /** The logs of all containers, for people. */
  async logs(): Promise<string> {
    const parts: string[] = [];
    for (const [name, container] of this.#containers) parts.push(`--- ${name}\n${await container.logs()}`);
    return parts.join("\n");
  }

  /** The parts of published private keys that appear in an answer or in a log: there must be none. */
  async leakedKeys(): Promise<readonly string[]> {
    const output = [await this.logs(), ...this.#answers].join("\n");
    return this.#keys.flatMap((pem) => pem.split("\n")).filter((line) => line.length >= 40 && output.includes(line));
  }

  /** Ends and removes every container, the one that holds the namespaces last. */
  async remove(): Promise<void> {
    const members = [...this.#containers.values()].filter((container) => container !== this.#holder);
    await Promise.all(members.map((container) => container.remove()));
    await this.#holder.remove();
    this.#containers.clear();
  }
}

/** Starts a pod with nothing in it but the process that holds its namespaces, and an empty volume. */
export async function startPod(options: PodOptions = {}): Promise<Pod> {
  const context = inject("pods");
  const directory = await mkdtemp(join(tmpdir(), "certhup-pod-"));
  let pod: Pod | undefined;
  let logs = "";
  onTestFinished(async () => {
    logs = (await pod?.logs()) ?? "";
    const leaked = await pod?.leakedKeys();
    await pod?.remove();
    await rm(directory, { recursive: true, force: true });
    expect(leaked ?? [], "parts of private keys in logs and answers").toEqual([]);
  });
  onTestFailed(() => {
    process.stderr.write(`${logs}\n`);
  });
  const volume = await createSecretVolume(join(directory, "certs"));
  const holder = await new RestrictedContainer(context.serversImage)
    .withCommand(["/pause", "-P"])
    .withLabels({ [runLabel]: context.run })
    .withExposedPorts(options.serverPort ?? usualPort, agentPort)
    .launch();
  pod = new Pod(context, directory, volume, holder, options);
  return pod;
}
