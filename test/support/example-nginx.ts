import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { flagOf } from "../../src/config/option.ts";
import { runOptions } from "../../src/config/options/run.ts";
import type { FlagTexts } from "../../src/config/sources.ts";

// The manifests of examples/nginx, read as a user would apply them. Only what the tests ask for has a type.

interface SecurityContext {
  readonly runAsUser?: number;
  readonly runAsNonRoot?: boolean;
  readonly fsGroup?: number;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  readonly seccompProfile?: { readonly type: string };
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: number | string; readonly scheme?: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly restartPolicy?: string;
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
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
    readonly configMap?: { readonly name: string };
  }[];
}

export interface NginxExample {
  readonly pod: PodSpec;
  readonly certhup: Container;
  readonly nginx: Container;
  readonly configMap: { readonly metadata: { readonly name: string }; readonly data: Readonly<Record<string, string>> };
  readonly nginxConfiguration: string;
}

export async function readNginxExample(): Promise<NginxExample> {
  const [deployment, configMap] = await Promise.all([readManifest("deployment"), readManifest("configmap")]);
  const pod = (deployment as { spec: { template: { spec: PodSpec } } }).spec.template.spec;
  const read = configMap as NginxExample["configMap"];
  const [certhup] = pod.initContainers;
  const [nginx] = pod.containers;
  const nginxConfiguration = read.data["nginx.conf"];
  if (certhup === undefined || nginx === undefined || nginxConfiguration === undefined) {
    throw new Error("examples/nginx lacks one of its containers, or nginx.conf");
  }
  return { pod, certhup, nginx, configMap: read, nginxConfiguration };
}

async function readManifest(name: string): Promise<unknown> {
  return parse(await readFile(join("examples", "nginx", `${name}.yaml`), "utf8"));
}

/** The flags of a `certhup run` command line by option key, as the configuration reads them; each is `--flag=value`. */
export function toFlagTexts(args: readonly string[]): FlagTexts {
  const flags: Record<string, string[]> = {};
  for (const argument of args.slice(1)) {
    const [flag = "", ...value] = argument.split("=");
    const option = runOptions.find((candidate) => flagOf(candidate) === flag);
    if (option === undefined) throw new Error(`${flag} is no flag of certhup run`);
    flags[option.key] = [...(flags[option.key] ?? []), value.join("=")];
  }
  return flags;
}
