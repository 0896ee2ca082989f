import { randomInt } from "node:crypto";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";

// A Secret volume as the kubelet writes it, in the documented order of its AtomicWriter
// (kubernetes/kubernetes pkg/volume/util/atomic_writer.go), with a stop between any two steps.

/** File names (a nested path is allowed) and their content. */
export type SecretFiles = Readonly<Record<string, string | Uint8Array>>;

export interface PublishOptions {
  /** Mode of every file; 0644 where nothing is said. */
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  /** Access and modification time of every file, for writers that keep them constant. */
  readonly modifiedAt?: Date;
}

/** What has just been done, in the order of the names for the current kubelet; `file-…` steps come once per file. */
export type PublishStep =
  | "directory-made"
  | "file-written"
  | "file-mode-set"
  | "data-link-made"
  | "data-link-renamed"
  | "visible-link-made"
  | "visible-link-removed"
  | "old-file-removed"
  | "old-directory-removed";

export interface SecretVolume {
  readonly directory: string;
  /** Publishes these files and no others. Resolves to the generation's name: the old one where nothing changed. */
  publish(files: SecretFiles, options?: PublishOptions): Promise<string>;
  /** The same, one step for each `next()`; leaving it half-way is a writer that died there. */
  steps(files: SecretFiles, options?: PublishOptions): AsyncGenerator<PublishStep, string>;
  /** The name that `..data` points to. */
  generation(): Promise<string | undefined>;
}

/**
 * Makes the directory and a writer for it.
 * `old` is the order before kubernetes/kubernetes#97642: the visible links are made before the `..data` rename.
 */
export async function createSecretVolume(
  directory: string,
  { order = "current" }: { readonly order?: "current" | "old" } = {},
): Promise<SecretVolume> {
  await mkdir(directory, { recursive: true });
  const steps = (files: SecretFiles, options: PublishOptions = {}) => publishSteps(directory, order, files, options);
  return {
    directory,
    steps,
    generation: () => readLink(join(directory, "..data")),
    async publish(files, options) {
      const publication = steps(files, options);
      for (;;) {
        const step = await publication.next();
        if (step.done === true) return step.value;
      }
    },
  };
}

async function* publishSteps(
  directory: string,
  order: "current" | "old",
  files: SecretFiles,
  options: PublishOptions,
): AsyncGenerator<PublishStep, string> {
  const published = await readLink(join(directory, "..data"));
  const oldNames = published === undefined ? [] : await topLevelNames(join(directory, published));
  const newNames = [...new Set(Object.keys(files).map((name) => name.split("/")[0] ?? name))];
  const removedNames = oldNames.filter((name) => !newNames.includes(name));
  if (published !== undefined && removedNames.length === 0 && (await holds(join(directory, published), files))) {
    return published;
  }

  const generation = await makeGeneration(directory);
  yield "directory-made";
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, generation, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { mode: 0o600 });
    yield "file-written";
    await chmod(path, options.mode ?? 0o644);
    if (options.uid !== undefined || options.gid !== undefined) {
      await chown(path, options.uid ?? 0, options.gid ?? 0);
    }
    if (options.modifiedAt !== undefined) await utimes(path, options.modifiedAt, options.modifiedAt);
    yield "file-mode-set";
  }
  if (order === "old") yield* makeVisibleLinks(directory, newNames);
  await rm(join(directory, "..data_tmp"), { force: true });
  await symlink(generation, join(directory, "..data_tmp"));
  yield "data-link-made";
  await rename(join(directory, "..data_tmp"), join(directory, "..data"));
  yield "data-link-renamed";
  if (order === "current") yield* makeVisibleLinks(directory, newNames);
  for (const name of removedNames) {
    await rm(join(directory, name), { force: true });
    yield "visible-link-removed";
  }
  if (published !== undefined) yield* removeGeneration(join(directory, published));
  return generation;
}

/** `..2026_11_30_09_10_00.1234567890`, mode 0755 whatever the umask. */
async function makeGeneration(directory: string): Promise<string> {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-T:]/g, "_");
  const generation = `..${stamp}.${randomInt(2 ** 32)}`;
  await mkdir(join(directory, generation), { mode: 0o700 });
  await chmod(join(directory, generation), 0o755);
  return generation;
}

async function* makeVisibleLinks(directory: string, names: readonly string[]): AsyncGenerator<PublishStep, void> {
  for (const name of names) {
    if ((await readLink(join(directory, name))) !== undefined) continue;
    await symlink(join("..data", name), join(directory, name));
    yield "visible-link-made";
  }
}

/** Not atomic: readers that resolved the old generation see its files go one by one. */
async function* removeGeneration(path: string): AsyncGenerator<PublishStep, void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await rm(join(path, entry.name), { recursive: true });
    else await unlink(join(path, entry.name));
    yield "old-file-removed";
  }
  await rmdir(path);
  yield "old-directory-removed";
}

async function holds(generation: string, files: SecretFiles): Promise<boolean> {
  for (const [name, content] of Object.entries(files)) {
    const present = await readFile(join(generation, name)).catch(() => undefined);
    if (present === undefined || !present.equals(Buffer.from(content))) return false;
  }
  return true;
}

async function topLevelNames(generation: string): Promise<readonly string[]> {
  return await readdir(generation).catch(() => []);
}

async function readLink(path: string): Promise<string | undefined> {
  const isLink = await lstat(path).then(
    (entry) => entry.isSymbolicLink(),
    () => false,
  );
  return isLink ? await readlink(path) : undefined;
}
