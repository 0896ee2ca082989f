import { realpath, stat } from "node:fs/promises";
import { errorCode } from "../system/read-bounded.ts";

/** How a directory is watched: by events, with the poll behind them, or by the poll alone. */
export type WatchMode = "events" | "poll";

/** What lies at a directory's path now. */
export type DirectoryIdentity =
  | {
      readonly kind: "directory";
      /**
       * Device, inode, and when it was made, as inode numbers are used again. Another text is another directory; where
       * the filesystem doesn't know when it was made, it may be the same one after a change.
       */
      readonly id: string;
      /** Without symbolic links. */
      readonly path: string;
    }
  | { readonly kind: "absent"; readonly code: string };

/** Finds what lies at `path`, following symbolic links. */
export async function identifyDirectory(path: string): Promise<DirectoryIdentity> {
  try {
    const real = await realpath(path);
    const stats = await stat(real, { bigint: true });
    if (!stats.isDirectory()) return { kind: "absent", code: "ENOTDIR" };
    return { kind: "directory", id: `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`, path: real };
  } catch (error) {
    return { kind: "absent", code: errorCode(error) };
  }
}

/** Why there are no events, with the remedy where there is one. */
export function explainFailure(code: string): string {
  switch (code) {
    case "ENOENT":
      return "the directory does not exist";
    case "ENOTDIR":
      return "there is no directory at this path";
    case "EMFILE":
      return "EMFILE: no inotify instance is left for this user on the node; raise fs.inotify.max_user_instances there";
    case "ENOSPC":
      return "ENOSPC: no inotify watch is left for this user on the node; raise fs.inotify.max_user_watches there";
    case "EACCES":
    case "EPERM":
      return `${code}: watching needs permission to read the directory`;
    default:
      return `${code}: the directory can't be watched`;
  }
}
