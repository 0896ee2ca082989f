import type { Finding } from "../core/finding.ts";

/** The codes with severity and meaning, in the order of the documentation. */
export const volumeFindingCodes = {
  "volume-absent": ["refuse", "the directory does not exist"],
  "volume-empty": ["refuse", "the directory is there and empty: nothing has been published yet"],
  "volume-changing": ["hold", "the content changed during every attempt to read it as one generation"],
  "file-absent": ["refuse", "the directory holds other files, but not this one"],
  "file-empty": ["refuse", "the file has no content: its writer is at work, or the issuer isn't ready yet"],
  "links-missing": ["hold", "the published generation has the file, but no visible name leads a server to it yet"],
  "dangling-link": ["refuse", "a symbolic link leads to a file of the volume that does not exist"],
  "link-outside": [
    "refuse",
    "a symbolic link leads out of the volume to a file that does not exist here: only a part of it is mounted",
  ],
  "link-loop": ["refuse", "symbolic links lead back to themselves"],
  "file-not-permitted": ["refuse", "the file exists, and this process may not read it"],
  "is-directory": ["refuse", "a directory lies where the file should be, as a `subPath` of an absent key leaves one"],
  "not-a-directory": ["refuse", "a part of the path that should be a directory is a file"],
  "not-a-file": ["refuse", "a pipe, socket or device lies where the file should be"],
  "too-large": ["refuse", "the file is larger than `--max-file-size`"],
  "read-failed": ["refuse", "the system could not read the file; the message has its name for the error"],
  "subpath-mount": ["warn", "a single entry is mounted, as `subPath` does: the mount keeps its first content for ever"],
  "subpath-mount-deleted": [
    "warn",
    "a single entry is mounted and its writer has replaced it since: the mount shows the old content for ever",
  ],
  "file-mount": [
    "warn",
    "a single file is mounted from the host: the mount follows writes into it, and no writer that replaces it",
  ],
} as const;

/** Every code that a finding against a volume or a mount can have. Stable under SemVer. */
export type VolumeFindingCode = keyof typeof volumeFindingCodes;

/** A finding with the severity of its code. */
export function volumeFinding(code: VolumeFindingCode, message: string, hint: string): Finding {
  return { code, severity: volumeFindingCodes[code][0], message, hint };
}
