import process from "node:process";
import type { Relaxation } from "./pod-container.ts";
import type { PublishOptions } from "./secret-volume.ts";

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

/** A container that joins a pod. The Secret volume is not mounted unless `mounts` says so. */
export interface Member extends Relaxation {
  /** The servers' image when absent. */
  readonly image?: string;
  readonly entrypoint?: readonly string[] | undefined;
  readonly command?: readonly string[] | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  readonly mounts?: readonly { readonly source: string; readonly target: string; readonly mode: "ro" | "rw" }[];
  /** Directories in memory that everybody may write. */
  readonly scratch?: readonly string[];
}

/** What a pod is made with. */
export interface PodOptions {
  /** The port of the pod's server, 8443 when absent. */
  readonly serverPort?: number;
  /** How the kubelet leaves the files of the Secret volume; as for this fsGroup {@link podUser} when absent. */
  readonly secretFile?: PublishOptions;
}

/** How the kubelet leaves Secret files when the pod has this fsGroup. Without root they must be readable to all. */
export function secretFileFor(fsGroup: number): PublishOptions {
  return process.getuid?.() === 0 ? { mode: 0o440, gid: fsGroup } : { mode: 0o444 };
}
