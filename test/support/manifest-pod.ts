import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readRunConfig } from "../../src/config/read-config.ts";
import type { Endpoint } from "../../src/probe/endpoint.ts";
import { probeEndpoint } from "../../src/probe/probe-endpoint.ts";
import { systemClock } from "../../src/system/clock.ts";
import { toFlagTexts } from "./flag-texts.ts";
import { type Container, type Manifest, userOf } from "./manifest.ts";
import { type Pod, startPod } from "./pod.ts";
import type { Handshake } from "./pod-answers.ts";
import type { PodContainer } from "./pod-container.ts";
import { type Member, secretFileFor } from "./pod-member.ts";

/** What the public images of these servers start with. */
const entrypoints: Readonly<Record<string, string>> = {
  postgres: "/entrypoints/postgres",
  mariadb: "/entrypoints/mariadb",
};

/** Times for a test, which come after the manifest's own flags: the last one of a flag counts. */
const quick: Readonly<Record<string, string>> = {
  "verify-interval": "1s",
  "watch-interval": "5s",
  "stale-grace": "20s",
};

/** A pod as the kubelet would make it of a manifest, but for the servers' images, which are Debian's. */
export interface ManifestPod {
  readonly pod: Pod;
  readonly manifest: Manifest;
  startServer(): Promise<PodContainer>;
  /** Starts the agent with the manifest's flags; these come after them. */
  startAgent(flags?: Readonly<Record<string, string>>): Promise<PodContainer>;
  /** One handshake with the first endpoint of the manifest's flags, from outside the pod. */
  shakeHands(): Promise<Handshake>;
}

/** Makes the pod's volumes and the process that holds its namespaces; the containers are started by hand. */
export async function startManifestPod(manifest: Manifest): Promise<ManifestPod> {
  const { pod: spec, agent, server } = manifest;
  const endpoint = await readEndpoint(manifest);
  const pod = await startPod({
    serverPort: endpoint.port,
    secretFile: secretFileFor(spec.securityContext.fsGroup ?? 0),
  });
  const sources = await makeVolumes(manifest, pod);
  const toMember = (container: Container): Member => ({
    user: userOf(container, spec),
    capabilities: container.securityContext?.capabilities?.add,
    hasWritableRoot: container.securityContext?.readOnlyRootFilesystem !== true,
    environment: Object.fromEntries((container.env ?? []).map(({ name, value = "from a Secret" }) => [name, value])),
    mounts: container.volumeMounts.map(({ name, mountPath, readOnly = false }) => ({
      source: sources.get(name) ?? missing(name),
      target: mountPath,
      mode: readOnly ? "ro" : "rw",
    })),
  });
  return {
    pod,
    manifest,
    startServer() {
      const { image, command, args } = server;
      const [program = ""] = (image.split("/").at(-1) ?? "").split(":");
      const entrypoint = entrypoints[program];
      return pod.launch(server.name, {
        ...toMember(server),
        entrypoint: command ?? (entrypoint === undefined ? undefined : [entrypoint]),
        command: args,
      });
    },
    startAgent(flags = {}) {
      const more = Object.entries({ ...quick, ...flags }).map(([name, value]) => `--${name}=${value}`);
      return pod.launch("agent", {
        ...toMember(agent),
        image: pod.agentImage,
        command: [...(agent.args ?? []), ...more],
      });
    },
    async shakeHands() {
      const result = await probeEndpoint(
        { ...endpoint, ...pod.serverAddress },
        {
          limits: { wholeMs: 3000, stepMs: 3000 },
          clock: systemClock,
          signal: new AbortController().signal,
          defaultServerName: "pod.example",
        },
      );
      return result.kind === "served"
        ? { fingerprint: result.certificate.fingerprint }
        : { error: `${result.reason}: ${result.detail}` };
    },
  };
}

async function readEndpoint({ agent, name }: Manifest): Promise<Endpoint> {
  const read = await readRunConfig({ flags: toFlagTexts(agent.args ?? []), environment: {} }, "pod-0");
  const endpoint = read.kind === "config" ? read.config.targets[0]?.endpoints[0] : undefined;
  if (endpoint === undefined) throw new Error(`the flags of ${name} are wrong: ${JSON.stringify(read)}`);
  return endpoint;
}

/** The directories of this machine that stand for the volumes, by the volume's name. */
async function makeVolumes({ pod: spec, configMaps }: Manifest, pod: Pod): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  for (const { name, secret, configMap } of spec.volumes) {
    const directory = join(pod.directory, "volumes", name);
    sources.set(name, secret === undefined ? directory : pod.volume.directory);
    if (secret !== undefined) continue;
    await mkdir(directory, { recursive: true });
    const files = configMap === undefined ? {} : (configMaps.get(configMap.name) ?? missing(configMap.name));
    for (const [file, content] of Object.entries(files)) await writeFile(join(directory, file), content);
    if (configMap === undefined) await chmod(directory, 0o777);
  }
  return sources;
}

function missing(name: string): never {
  throw new Error(`the manifest has no volume or ConfigMap ${name}`);
}
