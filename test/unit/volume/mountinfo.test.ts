import { expect, test } from "vitest";
import { parseMountinfo, readMounts } from "../../../src/volume/mountinfo.ts";

test("a line is read, whatever the number of its optional fields", () => {
  const mounts = parseMountinfo(
    [
      "36 35 0:51 / /certs ro,relatime - tmpfs tmpfs rw,size=8k",
      "37 35 0:51 / /certs ro,relatime master:1 - tmpfs tmpfs rw,size=8k",
      "38 35 0:51 / /certs ro,relatime shared:2 master:1 propagate_from:2 unbindable - tmpfs tmpfs rw,size=8k",
      "",
    ].join("\n"),
  );
  const mount = {
    device: "0:51",
    root: "/",
    mountPoint: "/certs",
    isDeleted: false,
    filesystem: "tmpfs",
    source: "tmpfs",
  };
  expect(mounts).toEqual([mount, mount, mount]);
});

test("octal escapes stand for space, tab, newline and backslash, and other bytes for themselves", () => {
  const [mount] = parseMountinfo(String.raw`36 35 0:51 /a\040b\011c\012d\134e /ü\040ß rw - ext4 /dev/my\040disk rw`);
  expect(mount).toMatchObject({ root: "/a b\tc\nd\\e", mountPoint: "/ü ß", source: "/dev/my disk" });
});

test("an escaped backslash before digits is no second escape", () => {
  const [mount] = parseMountinfo(String.raw`36 35 0:51 /a\134040b /m rw - ext4 none rw`);
  expect(mount?.root).toBe(String.raw`/a\040b`);
});

test("a removed root is told apart from its path", () => {
  const [mount] = parseMountinfo("36 35 0:51 /..2026_11_30_09_10_00.1/tls.crt//deleted /tls.crt ro - tmpfs tmpfs rw");
  expect(mount).toMatchObject({ root: "/..2026_11_30_09_10_00.1/tls.crt", isDeleted: true });
});

test("a hyphen as an option or path is not taken for the separator", () => {
  const [mount] = parseMountinfo("36 35 0:51 - - - - tmpfs tmpfs rw");
  expect(mount).toMatchObject({ root: "-", mountPoint: "-", filesystem: "tmpfs" });
});

test("lines without the documented form are left out", () => {
  expect(parseMountinfo("nonsense\n\n36 35 0:51 / /certs rw\n36 35 0:51 / /certs rw - tmpfs")).toEqual([]);
});

test("the mounts of this process have a root", async () => {
  expect(await readMounts("self")).toContainEqual(expect.objectContaining({ mountPoint: "/proc", root: "/" }));
});
