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
import { type PodContainer, podUser, RestrictedContainer } from "./pod-container.ts";
import { createSecretVolume, type PublishOptions, type SecretFiles, type SecretVolume } from "./secret-volume.ts";
import { until } from "./until.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What the set-up of the pods project made ready. */
    pods: PodsContext;
  }
}

/** The images that pods are made from, and the mark that all containers of one run carry. */
export interface PodsContext {
  readonly serversImage: string;
  readonly agentImage: string;
  readonly run: string;
}

/** The label by which the containers of a run are found when it ends. */
export const runLabel = "certhup.pods.run";

/** Far beyond what anything here takes, for machines under load. */
const waitLimitMs = 30_000;

const serverPort = 8443;
const agentPort = 10087;
const certificateDirectory = "/certs";

/** Quick enough for a test to see every state, slow enough for two cores. */
const agentDefaults: Readonly<Record<string, string>> = {
  "cert-dir": certificateDirectory,
  reload: "signal",
  "process-name": "nginx",
  signal: "HUP",
  endpoint: `127.0.0.1:${serverPort}`,
  "verify-timeout": "5s",
  "verify-interval": "1s",
  "stale-grace": "5s",
  "watch-interval": "5s",
  "listen-address": `:${agentPort}`,
  "log-format": "json",
};

/** How the kubelet leaves Secret files when the pod has this fsGroup. Without root they must be readable to all. */
const secretFile: PublishOptions = process.getuid?.() === 0 ? { mode: 0o440, gid: podUser } : { mode: 0o444 };

/**
 * A pod as the kubelet would make it: containers that share network and processes, and a Secret volume mounted whole.
 * It goes with the test that started it; when that test fails, the logs of its containers are printed.
 */
export class Pod {
  readonly volume: SecretVolume;
  readonly #context: PodsContext;
  readonly #holder: PodContainer;
  readonly #containers: Map<string, PodContainer>;
  /** Everything the agent answered, and every key it could have let out. */
  readonly #answers: string[] = [];
  readonly #keys: string[] = [];

  constructor(context: PodsContext, volume: SecretVolume, holder: PodContainer) {
    this.volume = volume;
    this.#context = context;
    this.#holder = holder;
    this.#containers = new Map([["pause", holder]]);
  }

  /** Publishes a pair in the volume, in the kubelet's own steps. */
  async publish(pair: Pick<IssuedCertificate, "certificatePem" | "keyPem">, more: SecretFiles = {}): Promise<void> {
    this.#keys.push(pair.keyPem);
    await this.volume.publish({ "tls.crt": pair.certificatePem, "tls.key": pair.keyPem, ...more }, secretFile);
  }

  /** Starts nginx, which serves the volume's pair on the pod's port 8443. */
  startNginx(): Promise<PodContainer> {
    return this.#launch("nginx", this.#member(this.#context.serversImage).withTmpFs({ "/tmp": "mode=1777" }));
  }

  /** Starts the agent; flags given replace the defaults, and one that is undefined goes. */
  startAgent(flags: Readonly<Record<string, string | undefined>> = {}): Promise<PodContainer> {
    const all = Object.entries({ ...agentDefaults, ...flags });
    const command = all.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
    return this.#launch("agent", this.#member(this.#context.agentImage).withCommand(["run", ...command]));
  }

  /** One handshake with the pod's server, from outside. */
  shakeHands(): Promise<Handshake> {
    return shakeHands(this.#holder.address(serverPort));
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
      { timeoutMs: waitLimitMs, what: `${pair.fingerprint} to be confirmed` },
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
    for (const container of [...this.#containers.values()].reverse()) await container.remove();
    this.#containers.clear();
  }

  #member(image: string): RestrictedContainer {
    return new RestrictedContainer(image)
      .joining(this.#holder)
      .withLabels({ [runLabel]: this.#context.run })
      .withBindMounts([{ source: this.volume.directory, target: certificateDirectory, mode: "ro" }]);
  }

  async #launch(name: string, container: RestrictedContainer): Promise<PodContainer> {
    const launched = await container.launch();
    this.#containers.set(name, launched);
    return launched;
  }
}

/** Starts a pod with nothing in it but the process that holds its namespaces, and an empty volume. */
export async function startPod(): Promise<Pod> {
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
    .withExposedPorts(serverPort, agentPort)
    .launch();
  pod = new Pod(context, volume, holder);
  return pod;
}
