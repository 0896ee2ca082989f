import { lstat, readlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Finding } from "../core/finding.ts";
import { errorCode } from "../system/read-bounded.ts";
import { volumeFinding } from "./finding-codes.ts";
import { quote } from "./quote.ts";

/** As many as the kernel follows (path_resolution(7)). */
const longestChain = 40;

/** The finding for a path that leads over a symbolic link into nothing; undefined where no link is the reason. */
export async function explainLink(path: string, directory: string): Promise<Finding | undefined> {
  const missing = await findMissingTarget(path);
  if (missing === undefined) return undefined;
  const message = `the link ${quote(missing.link)} leads to ${quote(missing.target)}, which does not exist`;
  return isInside(resolve(directory), missing.target)
    ? volumeFinding(
        "dangling-link",
        message,
        "wait for the writer to publish it; under a subPath mount of a folder, mount the whole volume instead",
      )
    : volumeFinding(
        "link-outside",
        `${message} here: it lies outside ${quote(directory)}`,
        "mount the directory that holds both the link and its target (for certbot /etc/letsencrypt, not live/<name>)",
      );
}

/** Follows the path entry by entry, as the kernel does. */
async function findMissingTarget(path: string): Promise<{ link: string; target: string } | undefined> {
  let link: string | undefined;
  let pending = resolve(path).split(sep).filter(Boolean);
  let at = "/";
  for (let hops = 0; hops < longestChain; ) {
    const name = pending.shift();
    if (name === undefined) return undefined;
    const entry = join(at, name);
    const kind = await kindOf(entry);
    if (kind === "hidden") return undefined;
    if (kind === "absent") return link === undefined ? undefined : { link, target: join(entry, ...pending) };
    if (kind === "other") {
      at = entry;
      continue;
    }
    hops += 1;
    link = entry;
    const target = resolve(dirname(entry), await readlink(entry).catch(() => ""));
    pending = [...target.split(sep).filter(Boolean), ...pending];
    at = "/";
  }
  return undefined;
}

async function kindOf(path: string): Promise<"link" | "other" | "absent" | "hidden"> {
  try {
    return (await lstat(path)).isSymbolicLink() ? "link" : "other";
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "absent" : "hidden";
  }
}

function isInside(directory: string, path: string): boolean {
  const inside = relative(directory, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
