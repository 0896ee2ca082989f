import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Finding } from "../core/finding.ts";
import { explainLink } from "./explain-link.ts";
import { explainPermission } from "./explain-permission.ts";
import { volumeFinding } from "./finding-codes.ts";
import type { Place } from "./layout.ts";
import { quote } from "./quote.ts";
import type { VolumeRequest } from "./volume-request.ts";
import type { FileFailure, FileRead } from "./watched-file.ts";

/** How many names of a directory a message lists. */
const mostNames = 8;

/** Why the directory itself could not be looked into; `code` is the system's name of the error. */
export async function explainDirectory(directory: string, code: string): Promise<Finding> {
  switch (code) {
    case "ENOENT":
      return (
        (await explainLink(directory, dirname(directory))) ??
        volumeFinding(
          "volume-absent",
          `there is no directory ${quote(directory)}`,
          "mount the volume there, or name the right directory with --cert-dir",
        )
      );
    default:
      return await explainSystemError(directory, dirname(directory), code);
  }
}

/** Why one file has nothing to judge; undefined where it has, or where its absence does not matter. */
export async function explainFile(
  request: VolumeRequest,
  place: Place,
  read: FileRead,
  isRequired: boolean,
): Promise<Finding | undefined> {
  const { directory } = request;
  const path = quote(place.visiblePath);
  if (read.kind === "content") {
    if (!isRequired) return undefined;
    if (place.kind === "unlinked") return explainMissingLink(place);
    if (read.bytes.length > 0) return undefined;
    return volumeFinding(
      "file-empty",
      `${path} is empty`,
      "wait for its writer to finish; if it stays so, look at what the issuer put into this key of the Secret",
    );
  }
  const { failure } = read;
  if (failure.reason !== "system-error") return explainKind(path, failure, request.maxFileSizeBytes);
  if (failure.code !== "ENOENT") return await explainSystemError(place.visiblePath, directory, failure.code);
  // A key that left the Secret leaves its link behind for a moment.
  if (!isRequired && place.kind !== "plain") return undefined;
  const link = await explainLink(place.visiblePath, directory);
  if (link !== undefined) return link;
  return isRequired ? await explainAbsence(place.visiblePath, directory) : undefined;
}

/** One finding in place of several, where the directory holds nothing at all. */
export async function explainNothing(
  directory: string,
  findings: readonly Finding[],
): Promise<readonly Finding[] | undefined> {
  if (!findings.every((finding) => finding.code === "file-absent")) return undefined;
  const names = await namesIn(directory);
  if (names === undefined || names.length > 0) return undefined;
  return [
    volumeFinding(
      "volume-empty",
      `the directory ${quote(directory)} is empty`,
      "nothing has been published yet: wait for the issuer, or look whether the Secret exists and its volume is optional",
    ),
  ];
}

/** Every attempt met a change. */
export function explainRestlessness(directory: string, attempts: number): Finding {
  return volumeFinding(
    "volume-changing",
    `${quote(directory)} changed during each of ${attempts} attempts to read it whole`,
    "look for a writer that publishes without a pause, or for two that fight over one Secret",
  );
}

function explainMissingLink(place: Place): Finding {
  return volumeFinding(
    "links-missing",
    `${quote(place.path)} is published, but there is no link ${quote(place.visiblePath)} that leads to it`,
    "the kubelet makes it a moment after the first publication; if it stays away, delete the pod so that it is mounted anew",
  );
}

function explainKind(path: string, failure: FileFailure, maxFileSizeBytes: number): Finding | undefined {
  switch (failure.reason) {
    case "is-directory":
      return volumeFinding(
        "is-directory",
        `${path} is a directory`,
        "a subPath mount of a key that did not exist makes one: mount the whole volume as a directory instead of single files",
      );
    case "not-a-file":
      return volumeFinding("not-a-file", `${path} is a pipe, socket or device`, "name a regular file");
    case "too-large":
      return volumeFinding(
        "too-large",
        `${path} is larger than ${maxFileSizeBytes} bytes`,
        "name the file that holds the certificate or key, or raise --max-file-size if it is the right one",
      );
    case "system-error":
      return undefined;
  }
}

async function explainSystemError(path: string, directory: string, code: string): Promise<Finding> {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return await explainPermission(path);
    case "ELOOP":
      return volumeFinding(
        "link-loop",
        `the symbolic links at ${quote(path)} lead back to themselves`,
        "remove the link and let its writer make it again",
      );
    case "ENOTDIR":
      return (
        (await explainLink(path, directory)) ??
        volumeFinding(
          "not-a-directory",
          `a part of the path ${quote(path)} is a file, not a directory`,
          "mount the volume as a directory and name its files relative to it",
        )
      );
    default:
      return volumeFinding("read-failed", `reading ${quote(path)} failed with ${code}`, remedyOf(code));
  }
}

function remedyOf(code: string): string {
  switch (code) {
    case "EMFILE":
    case "ENFILE":
      return "too many open files: raise the limit of open files (ulimit -n) of this container";
    case "EIO":
    case "ESTALE":
    case "ETIMEDOUT":
      return "look at the node and at the storage behind this mount";
    case "ENAMETOOLONG":
      return "give a shorter path";
    default:
      return "look at the mount and at the system's log";
  }
}

async function explainAbsence(path: string, directory: string): Promise<Finding> {
  const names = await namesIn(directory);
  return volumeFinding(
    "file-absent",
    `there is no ${quote(path)}; the directory ${describeNames(names)}`,
    "name the file with --cert-file or --key-file, or look at the keys of the Secret and the `items` of its volume",
  );
}

function describeNames(names: readonly string[] | undefined): string {
  if (names === undefined) return "can't be listed";
  if (names.length === 0) return "is empty";
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return `holds ${names.slice(0, mostNames).map(quote).join(", ")}${more}`;
}

/** Without the writer's own entries; undefined where the directory can't be listed. */
async function namesIn(directory: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(directory)).filter((name) => !name.startsWith("..")).sort();
  } catch {
    // Whatever it is, the finding that asks for the names already tells it.
    return undefined;
  }
}
