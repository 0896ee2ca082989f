import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Finding } from "../core/finding.ts";
import { volumeFinding } from "./finding-codes.ts";
import { type Mount, readMounts } from "./mountinfo.ts";
import { quote } from "./quote.ts";
import { findMountOf, findSubPathMounts } from "./subpath.ts";
import type { VolumeRequest } from "./volume-request.ts";

/** What this process's own mounts do to a volume. */
export interface MountInspection {
  readonly findings: readonly Finding[];
  /** The mount that the volume lies in, to find parts of it among the mounts of another process. */
  readonly volume: Mount | undefined;
}

/**
 * Looks whether the files of a volume, and what their symbolic links lead to, lie on mounts that can't follow a
 * renewal. Where the mount table can't be read there is nothing to say.
 */
export async function inspectMounts(request: VolumeRequest): Promise<MountInspection> {
  const mounts = await readMounts("self").catch(() => []);
  const directory = resolve(request.directory);
  const names = [request.certificateFile, request.keyFile, request.caFile];
  const files = names.filter((name) => name !== undefined).map((name) => resolve(directory, name));
  const visible = [directory, ...files];
  const real = await Promise.all(visible.map((path) => realpath(path).catch(() => path)));
  const paths = [...new Set([...visible, ...real])];
  const frozen = findSubPathMounts(mounts, paths);
  return {
    findings: frozen.length > 0 ? frozen : await findFileMounts(mounts, paths),
    volume: findMountOf(mounts, real[0] ?? directory),
  };
}

async function findFileMounts(mounts: readonly Mount[], paths: readonly string[]): Promise<readonly Finding[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const mount = findMountOf(mounts, path);
      return mount?.mountPoint === path && (await isFile(path)) ? [describe(mount)] : [];
    }),
  );
  return found.flat();
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

function describe(mount: Mount): Finding {
  return volumeFinding(
    "file-mount",
    `${quote(mount.mountPoint)} is a mount of the single file ${quote(mount.root)}: it follows writes into that file, and no writer that replaces it`,
    "mount the directory that holds the file instead",
  );
}
