import { readlink, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { errorCode } from "../system/read-bounded.ts";

// A reader may only use what a server would find under the visible name, but must read it in the one directory that
// the visible names led to when the look began. So each name is followed by hand up to `..data`, and no further.

/** Where one file is to be read. */
export interface Place {
  /** As a server is configured with it, for messages. */
  readonly visiblePath: string;
  readonly path: string;
  /** `unlinked`: in the generation, but no visible name leads to it. */
  readonly kind: "generation" | "unlinked" | "plain";
}

/** What the directory is at this moment. It is only right as long as {@link readMark} gives the same mark again. */
export interface Layout {
  readonly kind: "found";
  readonly mark: string;
  /** What `..data` points to; undefined where there is no such link. */
  readonly generation: string | undefined;
  /** In the order of the names asked for. */
  readonly places: readonly Place[];
}

/** The directory itself can't be entered. */
export interface NoLayout {
  readonly kind: "failed";
  /** The system's name of the error: `ENOENT`. */
  readonly code: string;
}

const dataLink = "..data";
const longestChain = 8;

/** Finds the layout anew: nothing is remembered from the look before. */
export async function findLayout(directory: string, names: readonly string[]): Promise<Layout | NoLayout> {
  const root = resolve(directory);
  const mark = await readMark(root);
  if (mark.kind === "failed") return mark;
  const { generation } = mark;
  const places = await Promise.all(names.map((name) => findPlace(root, generation, name)));
  return { kind: "found", mark: mark.text, generation, places };
}

/** Which directory lies here, and what it publishes: the text changes with every swap. */
export async function readMark(
  directory: string,
): Promise<{ readonly kind: "mark"; readonly text: string; readonly generation: string | undefined } | NoLayout> {
  try {
    const stats = await stat(directory);
    if (!stats.isDirectory()) return { kind: "failed", code: "ENOTDIR" };
    const generation = await followLink(join(directory, dataLink));
    return { kind: "mark", text: `${stats.dev}:${stats.ino}:${generation ?? ""}`, generation };
  } catch (error) {
    return { kind: "failed", code: errorCode(error) };
  }
}

async function findPlace(root: string, generation: string | undefined, name: string): Promise<Place> {
  const visiblePath = resolve(root, name);
  const plain: Place = { visiblePath, path: visiblePath, kind: "plain" };
  if (generation === undefined) return plain;

  let inside = insideOf(root, visiblePath);
  for (let hop = 0; inside !== undefined && hop < longestChain; hop++) {
    const [first, ...rest] = inside.split("/");
    if (first === undefined || first === "") return plain;
    const published = resolve(root, generation, ...(first === dataLink ? rest : [first, ...rest]));
    if (first === dataLink) return { visiblePath, path: published, kind: "generation" };
    const link = await followLink(join(root, first)).catch(() => undefined);
    if (link === undefined) {
      return (await isPresent(join(root, first))) ? plain : { visiblePath, path: published, kind: "unlinked" };
    }
    inside = insideOf(root, resolve(root, link, ...rest));
  }
  return plain;
}

/** The text of a symbolic link; undefined where there is none, or something else. */
async function followLink(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "EINVAL") return undefined;
    throw error;
  }
}

async function isPresent(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error) => errorCode(error) !== "ENOENT",
  );
}

/** The path below `root`; undefined where it leads elsewhere. */
function insideOf(root: string, path: string): string | undefined {
  const inside = relative(root, path);
  return inside === ".." || inside.startsWith("../") || isAbsolute(inside) ? undefined : inside;
}
