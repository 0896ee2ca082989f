import type { BigIntStats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { errorCode, readOnlyFlags, readToEnd } from "../system/read-bounded.ts";

/** Why a file has no content to hand over. */
export type FileFailure =
  | { readonly reason: "system-error"; readonly code: string }
  | { readonly reason: "is-directory" }
  | { readonly reason: "not-a-file" }
  | { readonly reason: "too-large" };

/** What one file held, or why it held nothing. */
export type FileRead =
  | {
      readonly kind: "content";
      /** Never part of a shared pool: overwriting it leaves no copy. */
      readonly bytes: Buffer;
      /** Changes when the file is replaced or written to, as far as the filesystem's clock can tell. */
      readonly identity: string;
    }
  | { readonly kind: "failed"; readonly failure: FileFailure };

/** One file held open, so that removing it changes nothing for its reader. */
export type OpenFile =
  | { readonly kind: "open"; readonly handle: FileHandle; readonly stats: BigIntStats }
  | { readonly kind: "failed"; readonly failure: FileFailure };

/** Opens several files at once; each that could be opened must be given to {@link readFiles} or {@link closeFiles}. */
export async function openFiles(paths: readonly string[]): Promise<readonly OpenFile[]> {
  return await Promise.all(paths.map(openFile));
}

/** Reads each file whole, unless it is longer than `maxSizeBytes`, and closes it. */
export async function readFiles(files: readonly OpenFile[], maxSizeBytes: number): Promise<readonly FileRead[]> {
  return await Promise.all(files.map((file) => readFile(file, maxSizeBytes)));
}

/** Closes files that are not going to be read. */
export async function closeFiles(files: readonly OpenFile[]): Promise<void> {
  await Promise.all(files.map((file) => (file.kind === "open" ? file.handle.close() : undefined)));
}

/** The identity of what lies at `path` now; undefined where nothing can be found. */
export async function identify(path: string): Promise<string | undefined> {
  try {
    return identityOf(await stat(path, { bigint: true }));
  } catch {
    // Whatever hides the file now, it is not what has been read before: that is all a caller compares.
    return undefined;
  }
}

/** Overwrites contents that are not handed on. */
export function overwrite(files: readonly FileRead[]): void {
  for (const file of files) {
    if (file.kind === "content") file.bytes.fill(0);
  }
}

async function openFile(path: string): Promise<OpenFile> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, readOnlyFlags);
    return { kind: "open", handle, stats: await handle.stat({ bigint: true }) };
  } catch (error) {
    await handle?.close();
    const code = errorCode(error);
    // What open(2) says of a socket.
    if (code === "ENXIO") return { kind: "failed", failure: { reason: "not-a-file" } };
    return { kind: "failed", failure: { reason: "system-error", code } };
  }
}

async function readFile(file: OpenFile, maxSizeBytes: number): Promise<FileRead> {
  if (file.kind === "failed") return file;
  const { handle, stats } = file;
  try {
    if (stats.isDirectory()) return { kind: "failed", failure: { reason: "is-directory" } };
    if (!stats.isFile()) return { kind: "failed", failure: { reason: "not-a-file" } };
    if (stats.size > maxSizeBytes) return { kind: "failed", failure: { reason: "too-large" } };
    const bytes = await readToEnd(handle, Number(stats.size), maxSizeBytes);
    if (bytes === undefined) return { kind: "failed", failure: { reason: "too-large" } };
    return { kind: "content", bytes, identity: identityOf(stats) };
  } catch (error) {
    return { kind: "failed", failure: { reason: "system-error", code: errorCode(error) } };
  } finally {
    await handle.close();
  }
}

function identityOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
