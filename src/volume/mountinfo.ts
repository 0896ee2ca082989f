import { readFile } from "node:fs/promises";

/** One line of a process's mount table. */
export interface Mount {
  /** `major:minor` of the filesystem: the same for every mount of one Secret volume in a pod. */
  readonly device: string;
  /** The path within the mounted filesystem that forms the root of this mount. */
  readonly root: string;
  readonly mountPoint: string;
  /** True where what was mounted has been removed from its filesystem since; `root` is given without that mark. */
  readonly isDeleted: boolean;
  readonly filesystem: string;
  readonly source: string;
}

const deletedMark = "//deleted";

/**
 * The mounts of a `/proc/<pid>/mountinfo`, in its order: a later one may hide an earlier one at the same mount point.
 * Lines that do not have the documented form are left out (proc_pid_mountinfo(5)).
 */
export function parseMountinfo(text: string): readonly Mount[] {
  return text.split("\n").flatMap((line) => {
    const mount = parseLine(line);
    return mount === undefined ? [] : [mount];
  });
}

/** The mount table of a process, `self` for this one. @throws what reading the file throws: the process may be gone */
export async function readMounts(process: number | "self"): Promise<readonly Mount[]> {
  return parseMountinfo(await readFile(`/proc/${process}/mountinfo`, "utf8"));
}

function parseLine(line: string): Mount | undefined {
  const fields = line.split(" ");
  const [, , device, root, mountPoint] = fields;
  // Any number of optional fields stands between the options and the hyphen.
  const hyphen = fields.indexOf("-", 6);
  if (device === undefined || root === undefined || mountPoint === undefined || hyphen < 0) return undefined;
  const filesystem = fields[hyphen + 1];
  const source = fields[hyphen + 2];
  if (filesystem === undefined || source === undefined) return undefined;
  const whole = unescapeOctal(root);
  const isDeleted = whole.endsWith(deletedMark);
  return {
    device,
    root: isDeleted ? whole.slice(0, -deletedMark.length) : whole,
    mountPoint: unescapeOctal(mountPoint),
    isDeleted,
    filesystem: unescapeOctal(filesystem),
    source: unescapeOctal(source),
  };
}

/** Space, tab, newline and backslash are written as three octal digits; all other bytes stand as they are. */
function unescapeOctal(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
