import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import type { Finding } from "../core/finding.ts";
import { volumeFinding } from "./finding-codes.ts";
import type { Mount } from "./mountinfo.ts";
import { quote } from "./quote.ts";

/** A generation of the kubelet's AtomicWriter somewhere in a path: `..2026_11_30_09_10_00.1234567890`. */
const generationPattern = /(?:^|\/)\.\.\d{4}_\d{2}_\d{2}_\d{2}_\d{2}_\d{2}\.\d+(?:\/|$)/;
/** Where the kubelet keeps the mounts that it makes for `subPath` (kubernetes/kubernetes pkg/volume/util/subpath). */
const subPathPattern = /\/volume-subpaths\//;

/**
 * Findings for mounts that will never follow a renewal: `subPath` mounts of a file or folder of a Secret, and any other
 * mount of a single generation. A mount counts where it shows one of `paths` or lies below one, and, for the mounts of
 * a process that may see the volume elsewhere, where it shows a part of `volume`.
 */
export function findSubPathMounts(
  mounts: readonly Mount[],
  paths: readonly string[],
  volume?: Mount,
): readonly Finding[] {
  const visible = visibleMounts(mounts);
  const concerned = new Set(paths.flatMap((path) => mountsAt(visible, resolve(path))));
  return visible
    .filter((mount) => isFrozen(mount) && (concerned.has(mount) || (volume !== undefined && isPartOf(volume, mount))))
    .map(describe);
}

/** The mount that `path` lies in; undefined where the table has none. */
export function findMountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  return covering(visibleMounts(mounts), resolve(path));
}

/** The last mount at a mount point hides those before it. */
function visibleMounts(mounts: readonly Mount[]): readonly Mount[] {
  return [...new Map(mounts.map((mount) => [mount.mountPoint, mount])).values()];
}

function mountsAt(visible: readonly Mount[], path: string): readonly Mount[] {
  const cover = covering(visible, path);
  const below = visible.filter((mount) => mount !== cover && isWithin(path, mount.mountPoint));
  return cover === undefined ? below : [cover, ...below];
}

function covering(visible: readonly Mount[], path: string): Mount | undefined {
  return visible
    .filter((mount) => isWithin(mount.mountPoint, path))
    .reduce<Mount | undefined>(
      (deepest, mount) =>
        deepest === undefined || mount.mountPoint.length > deepest.mountPoint.length ? mount : deepest,
      undefined,
    );
}

function isPartOf(volume: Mount, mount: Mount): boolean {
  return volume.mountPoint !== "/" && mount.device === volume.device && isWithin(volume.root, mount.root);
}

function isWithin(directory: string, path: string): boolean {
  const inside = relative(directory, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

function isFrozen(mount: Mount): boolean {
  return mount.isDeleted || generationPattern.test(mount.root) || subPathPattern.test(mount.root);
}

function describe(mount: Mount): Finding {
  const mountPoint = quote(mount.mountPoint);
  const of = quote(basename(mount.root));
  return mount.isDeleted
    ? volumeFinding(
        "subpath-mount-deleted",
        `${mountPoint} is a mount of the single entry ${of}, which its writer has replaced since: the mount shows the old content for ever`,
        remedy,
      )
    : volumeFinding(
        "subpath-mount",
        `${mountPoint} is a subPath mount of ${of} alone: it keeps the content that it had when the container started`,
        remedy,
      );
}

const remedy =
  "mount the whole volume as a directory, without subPath (choose files with the volume's `items`), and delete the pod; restarting the container alone may fail";
