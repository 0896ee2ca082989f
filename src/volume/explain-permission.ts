import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import type { Finding } from "../core/finding.ts";
import { volumeFinding } from "./finding-codes.ts";
import { quote } from "./quote.ts";

/** Why this process may not read `path`: who it is, whose the file is, and what to change. */
export async function explainPermission(path: string): Promise<Finding> {
  const closed = await findClosedDirectory(path);
  const subject = closed ?? path;
  const what = closed === undefined ? "reading" : "entering";
  const self = describeSelf();
  try {
    const stats = await stat(subject);
    const mode = (stats.mode & 0o7777).toString(8).padStart(4, "0");
    return volumeFinding(
      "file-not-permitted",
      `${what} ${quote(subject)} is not permitted: it belongs to ${stats.uid}:${stats.gid} with mode ${mode}, and this process is ${self}`,
      allows(stats) ? hintForModule : hintForOwner,
    );
  } catch {
    // Not even its owner and mode can be seen: then that is what there is to say.
    return volumeFinding(
      "file-not-permitted",
      `${what} ${quote(subject)} is not permitted for this process, which is ${self}`,
      hintForOwner,
    );
  }
}

const hintForOwner =
  "set securityContext.fsGroup of the pod (the kubelet then gives Secret files to that group), or run this container as the file's owner, or leave the key out with --key-file none";
const hintForModule =
  "its mode would allow it, so a security module forbids it: look at the SELinux or AppArmor log (for a container bind mount, add :z)";

function describeSelf(): string {
  const groups = (process.getgroups?.() ?? []).filter((group) => group !== process.getegid?.());
  return `uid ${process.geteuid?.()}, gid ${process.getegid?.()}, further groups ${groups.join(",") || "none"}`;
}

function allows(stats: { readonly mode: number; readonly uid: number; readonly gid: number }): boolean {
  const isDirectory = (stats.mode & constants.S_IFMT) === constants.S_IFDIR;
  const wanted = isDirectory ? 0o1 : 0o4;
  if (stats.uid === process.geteuid?.()) return (stats.mode & (wanted << 6)) !== 0;
  const isMember = stats.gid === process.getegid?.() || (process.getgroups?.() ?? []).includes(stats.gid);
  return (stats.mode & (isMember ? wanted << 3 : wanted)) !== 0;
}

/** The topmost directory on the way that this process may not enter. */
async function findClosedDirectory(path: string): Promise<string | undefined> {
  const parents: string[] = [];
  for (let parent = dirname(path); parent !== dirname(parent); parent = dirname(parent)) parents.unshift(parent);
  for (const parent of parents) {
    const isOpen = await access(parent, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isOpen) return parent;
  }
  return undefined;
}
