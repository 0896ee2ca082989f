import type { Finding, Severity } from "../core/finding.ts";

/** What a finding of this room means and does. */
export interface VolumeFindingMeaning {
  readonly severity: Severity;
  /** One sentence for the reference documentation. */
  readonly meaning: string;
}

/** Every code a volume or a mount can get: stable under SemVer. The documentation's table is made from this. */
export type VolumeFindingCode =
  | "volume-absent"
  | "volume-empty"
  | "volume-changing"
  | "file-absent"
  | "file-empty"
  | "links-missing"
  | "dangling-link"
  | "link-outside"
  | "link-loop"
  | "not-permitted"
  | "is-directory"
  | "not-a-directory"
  | "not-a-file"
  | "too-large"
  | "read-failed"
  | "subpath-mount"
  | "subpath-mount-deleted";

/** `refuse`: nothing could be read. `hold`: a state that writers pass through. `warn`: it could be read all the same. */
export const volumeFindingCodes: Readonly<Record<VolumeFindingCode, VolumeFindingMeaning>> = {
  "volume-absent": { severity: "refuse", meaning: "the directory does not exist" },
  "volume-empty": { severity: "refuse", meaning: "the directory holds none of the files, and no others" },
  "volume-changing": {
    severity: "hold",
    meaning: "the content changed during every attempt to read it as one generation",
  },
  "file-absent": { severity: "refuse", meaning: "the directory holds other files, but not this one" },
  "file-empty": { severity: "refuse", meaning: "the file has no content" },
  "links-missing": {
    severity: "hold",
    meaning: "the published generation has the file, but no visible link leads to it, so that no server finds it",
  },
  "dangling-link": { severity: "refuse", meaning: "a symbolic link leads to a file that does not exist" },
  "link-outside": {
    severity: "refuse",
    meaning: "a symbolic link leads out of the volume to a file that does not exist here, as when only part is mounted",
  },
  "link-loop": { severity: "refuse", meaning: "symbolic links lead back to themselves" },
  "not-permitted": { severity: "refuse", meaning: "the file exists, and this process may not read it" },
  "is-directory": { severity: "refuse", meaning: "a directory lies where the file should be" },
  "not-a-directory": { severity: "refuse", meaning: "a part of the path that should be a directory is a file" },
  "not-a-file": { severity: "refuse", meaning: "a pipe, socket or device lies where the file should be" },
  "too-large": { severity: "refuse", meaning: "the file is larger than the limit for certificates and keys" },
  "read-failed": { severity: "refuse", meaning: "the system could not read the file" },
  "subpath-mount": {
    severity: "warn",
    meaning: "a single file is mounted, as `subPath` does: the mount keeps the first content and never updates",
  },
  "subpath-mount-deleted": {
    severity: "warn",
    meaning:
      "a single file is mounted whose original has been replaced since: the mount shows the old content for ever",
  },
};

/** A finding with the severity of its code. */
export function volumeFinding(code: VolumeFindingCode, message: string, hint: string): Finding {
  return { code, severity: volumeFindingCodes[code].severity, message, hint };
}
