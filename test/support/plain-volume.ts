import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import type { SecretFiles } from "./secret-volume.ts";

// The writers that are no kubelet: each call is one thing that a reader can see.

/** Overwrites one file where it lies, as `cp` and older CSI drivers do. */
export async function writeInPlace(directory: string, name: string, content: string | Uint8Array): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, name), content);
}

/** Overwrites every file where it lies, in the order of the names given. */
export async function writeAllInPlace(directory: string, files: SecretFiles): Promise<void> {
  for (const [name, content] of Object.entries(files)) await writeInPlace(directory, name, content);
}

/** Writes beside the file and renames over it, as `install` and template engines do. */
export async function renameIntoPlace(directory: string, name: string, content: string | Uint8Array): Promise<void> {
  await mkdir(directory, { recursive: true });
  const temporary = join(directory, `.${basename(name)}.tmp`);
  await writeFile(temporary, content);
  await rename(temporary, join(directory, name));
}

export interface CertbotLineage {
  /** Holds the links: what a server is configured with. */
  readonly directory: string;
  /** Writes version `version` of each file into the archive; no link points there yet. */
  archive(version: number, files: SecretFiles): Promise<void>;
  /** Points one link to version `version`, in one rename. */
  point(name: string, version: number): Promise<void>;
}

/**
 * Below `root` (an absolute path): links of `live/<name>` to `archive/<name>`, re-pointed one after another, as certbot does.
 * `targets` says whether a link's text is relative (certbot's way) or absolute.
 */
export async function createCertbotLineage(
  root: string,
  { targets = "relative" }: { readonly targets?: "relative" | "absolute" } = {},
): Promise<CertbotLineage> {
  const directory = join(root, "live", "example");
  const archiveDirectory = join(root, "archive", "example");
  await mkdir(directory, { recursive: true });
  await mkdir(archiveDirectory, { recursive: true });
  const archived = (name: string, version: number) =>
    join(archiveDirectory, name.replace(/(\.[^.]*)?$/, `${version}$1`));
  return {
    directory,
    async archive(version, files) {
      for (const [name, content] of Object.entries(files)) await writeFile(archived(name, version), content);
    },
    async point(name, version) {
      const link = join(directory, name);
      const temporary = `${link}.tmp`;
      await rm(temporary, { force: true });
      const target = archived(name, version);
      await symlink(targets === "absolute" ? target : relative(directory, target), temporary);
      await rename(temporary, link);
    },
  };
}
