import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Why a file has no content to hand over. */
export type ReadFailure =
  /** The system's name of the error: `ENOENT`; `EISDIR` for a directory. */
  | { readonly reason: "system-error"; readonly code: string }
  /** A named pipe, a socket or a device, which may never come to an end. */
  | { readonly reason: "not-a-file" }
  | { readonly reason: "too-large"; readonly maxSizeBytes: number };

/** What a file held, or why it held nothing. */
export type BoundedRead =
  | {
      readonly kind: "content";
      /** Never part of a shared pool: overwriting it leaves no copy. */
      readonly bytes: Buffer;
    }
  | { readonly kind: "failed"; readonly failure: ReadFailure };

/** Without O_NONBLOCK, opening a named pipe waits for a writer; without O_NOCTTY, a terminal becomes ours. */
export const readOnlyFlags: number = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads a regular file whole, unless it is longer than `maxSizeBytes`. Neither a named pipe nor a file without an end
 * keeps the caller waiting or fills its memory. Never rejects.
 */
export async function readBounded(path: string, maxSizeBytes: number): Promise<BoundedRead> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, readOnlyFlags);
    const stats = await handle.stat();
    if (stats.isDirectory()) return failed({ reason: "system-error", code: "EISDIR" });
    if (!stats.isFile()) return failed({ reason: "not-a-file" });
    const bytes = stats.size > maxSizeBytes ? undefined : await readToEnd(handle, stats.size, maxSizeBytes);
    return bytes === undefined ? failed({ reason: "too-large", maxSizeBytes }) : { kind: "content", bytes };
  } catch (error) {
    const code = errorCode(error);
    // What open(2) says of a socket.
    return failed(code === "ENXIO" ? { reason: "not-a-file" } : { reason: "system-error", code });
  } finally {
    await handle?.close();
  }
}

/** What to say of the file after its name: `can't be read: ENOENT`. */
export function explainReadFailure(failure: ReadFailure): string {
  switch (failure.reason) {
    case "system-error":
      return `can't be read: ${failure.code}`;
    case "not-a-file":
      return "is no regular file";
    case "too-large":
      return `is larger than ${failure.maxSizeBytes} bytes`;
  }
}

/**
 * Reads an open file from its start; undefined where it is longer than `maxSizeBytes`. What isn't handed over is
 * overwritten.
 *
 * @param sizeBytes only a guess: files grow while they are read, and some filesystems say 0
 */
export async function readToEnd(
  handle: FileHandle,
  sizeBytes: number,
  maxSizeBytes: number,
): Promise<Buffer | undefined> {
  let buffer = Buffer.alloc(sizeBytes + 1);
  let length = 0;
  let isWhole = false;
  try {
    while (length <= maxSizeBytes) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || (length === sizeBytes && sizeBytes > 0)) {
        isWhole = true;
        return buffer.subarray(0, length);
      }
      if (length === buffer.length) {
        const larger = Buffer.alloc(Math.min(2 * length + 4096, maxSizeBytes + 1));
        buffer.copy(larger);
        buffer.fill(0);
        buffer = larger;
      }
    }
    return undefined;
  } finally {
    if (!isWhole) buffer.fill(0);
  }
}

/** The system's name of an error: `ENOENT`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "UNKNOWN";
}

function failed(failure: ReadFailure): BoundedRead {
  return { kind: "failed", failure };
}
