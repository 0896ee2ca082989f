import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { parse, parseAllDocuments } from "yaml";

// Manifests of pods with a sidecar, read as a user would apply them. Only what the tests ask for has a type.

export interface SecurityContext {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly fsGroup?: number;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  readonly seccompProfile?: { readonly type: string };
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: number | string };
}

export interface RestartRule {
  readonly action: string;
  readonly exitCodes: { readonly operator: string; readonly values: readonly number[] };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly RestartRule[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly securityContext?: SecurityContext;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

export interface PodSpec {
  readonly shareProcessNamespace?: boolean;
  readonly securityContext: SecurityContext;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
    readonly configMap?: { readonly name: string };
    readonly emptyDir?: object;
  }[];
}

/** One pod of a server and its sidecar, with the files of its ConfigMaps. */
export interface Manifest {
  /** The name of the folder or file. */
  readonly name: string;
  readonly pod: PodSpec;
  /** The container with the name certhup. */
  readonly agent: Container;
  readonly server: Container;
  /** File names and contents by the ConfigMap's name. */
  readonly configMaps: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Every mistake that the YAML reader found. */
  readonly mistakes: readonly string[];
}

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: PodSpec } };
}

/** The folders of examples that are applied with `kubectl apply -k`. */
export async function listExamples(): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const entry of await readdir("examples", { withFileTypes: true })) {
    const folder = join("examples", entry.name);
    const files = entry.isDirectory() ? await readdir(folder) : [];
    if (files.includes("kustomization.yaml")) folders.push(folder);
  }
  return folders.sort();
}

/**
 * Reads a folder with a kustomization, one with nothing but manifests, or one YAML file with all documents.
 * @throws Error where it isn't one workload with an agent and one server
 */
export async function readManifest(path: string): Promise<Manifest> {
  const isFolder = (await stat(path)).isDirectory();
  const { documents, configMaps, mistakes } = isFolder ? await readFolder(path) : await readDocuments([path]);
  const workloads = documents.filter(({ kind }) => ["Deployment", "StatefulSet", "Pod"].includes(kind));
  const [workload] = workloads;
  const pod = workload?.kind === "Pod" ? (workload.spec as unknown as PodSpec) : workload?.spec?.template?.spec;
  const containers = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])];
  const agent = containers.find(({ name }) => name === "certhup");
  const [server, ...others] = containers.filter((container) => container !== agent);
  if (pod === undefined || agent === undefined || server === undefined || others.length + workloads.length !== 1) {
    throw new Error(`${path} is not one workload with certhup and one server`);
  }
  return { name: basename(path, ".yaml"), pod, agent, server, configMaps, mistakes };
}

interface Documents {
  readonly documents: readonly Document[];
  readonly configMaps: Manifest["configMaps"];
  readonly mistakes: readonly string[];
}

async function readDocuments(paths: readonly string[]): Promise<Documents> {
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  const parsed = texts.flatMap((text) => parseAllDocuments(text));
  const documents = parsed.map((document) => document.toJS() as Document);
  return {
    documents,
    mistakes: parsed.flatMap(({ errors, warnings }) => [...errors, ...warnings]).map(({ message }) => message),
    configMaps: new Map(
      documents.flatMap(({ kind, metadata, data }) => (kind === "ConfigMap" ? [[metadata.name, data ?? {}]] : [])),
    ),
  };
}

async function readFolder(folder: string): Promise<Documents> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml"));
  if (!names.includes("kustomization.yaml")) return readDocuments(names.map((name) => join(folder, name)));
  const kustomization = parse(await readFile(join(folder, "kustomization.yaml"), "utf8")) as {
    readonly resources: readonly string[];
    readonly configMapGenerator?: readonly { readonly name: string; readonly files: readonly string[] }[];
  };
  const { documents, configMaps, mistakes } = await readDocuments(
    kustomization.resources.map((file) => join(folder, file)),
  );
  const generated = new Map(configMaps);
  for (const { name, files } of kustomization.configMapGenerator ?? []) {
    const entries = files.map(async (file) => [file, await readFile(join(folder, file), "utf8")] as const);
    generated.set(name, Object.fromEntries(await Promise.all(entries)));
  }
  return { documents, configMaps: generated, mistakes };
}

/** The user and group that a container runs as, as in `101:101`. */
export function userOf({ securityContext }: Container, pod: PodSpec): string {
  const { runAsUser, runAsGroup } = { ...pod.securityContext, ...securityContext };
  return `${runAsUser}:${runAsGroup ?? runAsUser}`;
}
