import { array, assert as check, constantFrom, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import { parseMountinfo } from "../../../src/volume/mountinfo.ts";
import { quote } from "../../../src/volume/quote.ts";
import { findSubPathMounts } from "../../../src/volume/subpath.ts";

/** As the kernel writes a path into the table (seq_path in fs/seq_file.c). */
function escapePath(path: string): string {
  const octal = (character: string) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
  return path.replaceAll(/[ \t\n\\]/g, octal);
}

const path = array(oneof(string({ minLength: 1 }), constantFrom(" ", "\\", "\t", "\n", "\\040", "-", "ü")), {
  minLength: 1,
}).map((names) => `/${names.join("").replaceAll("\0", "")}`);
const optional = array(constantFrom("shared:1", "master:2", "propagate_from:3", "unbindable", "future:4"));

test("what the kernel escapes comes back as it was, with any optional fields", async () => {
  await check(
    property(path, path, optional, (root, mountPoint, fields) => {
      const line = [
        "36 35 0:51",
        escapePath(root),
        escapePath(mountPoint),
        "rw",
        ...fields,
        "- tmpfs",
        escapePath(root),
        "rw",
      ];
      const isDeleted = root.endsWith("//deleted");
      expect(parseMountinfo(`${line.join(" ")}\n`)).toEqual([
        {
          device: "0:51",
          root: isDeleted ? root.slice(0, -"//deleted".length) : root,
          mountPoint,
          isDeleted,
          filesystem: "tmpfs",
          source: root,
        },
      ]);
    }),
  );
});

test("no text breaks the parser or the search", async () => {
  await check(
    property(string({ unit: "binary" }), array(path), (text, paths) => {
      expect(Array.isArray(findSubPathMounts(parseMountinfo(text), paths))).toBe(true);
    }),
  );
});

test("a quoted text holds nothing that acts on a terminal, and tells other texts apart", async () => {
  await check(
    property(string({ unit: "binary" }), string({ unit: "binary" }), (text, other) => {
      expect(quote(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(quote(text) === quote(other)).toBe(text === other);
    }),
  );
});
