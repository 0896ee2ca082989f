import { expect, test } from "vitest";
import { parseMountinfo } from "../../../src/volume/mountinfo.ts";
import { findMountOf, findSubPathMounts } from "../../../src/volume/subpath.ts";

const generation = "..2026_11_30_09_10_00.1234567890";

function mountsOf(...lines: readonly string[]) {
  return parseMountinfo(["20 1 8:1 / / rw - ext4 /dev/sda1 rw", ...lines].join("\n"));
}

function codesOf(lines: readonly string[], paths: readonly string[]): readonly string[] {
  return findSubPathMounts(mountsOf(...lines), paths).map((finding) => finding.code);
}

test("a whole volume is no finding", () => {
  expect(codesOf(["36 20 0:51 / /certs ro - tmpfs tmpfs rw"], ["/certs"])).toEqual([]);
});

test("a file of a generation is one, and tells the remedy", () => {
  const lines = [`36 20 0:51 /${generation}/tls.crt /etc/nginx/tls.crt ro - tmpfs tmpfs rw`];
  expect(findSubPathMounts(mountsOf(...lines), ["/etc/nginx/tls.crt"])).toEqual([
    {
      code: "subpath-mount",
      severity: "warn",
      message:
        "/etc/nginx/tls.crt is a subPath mount of tls.crt alone: it keeps the content that it had when the container started",
      hint: expect.stringContaining("without subPath"),
    },
  ]);
});

test("once its writer has moved on, it is told as deleted", () => {
  const lines = [`36 20 0:51 /${generation}/tls.crt//deleted /etc/nginx/tls.crt ro - tmpfs tmpfs rw`];
  expect(codesOf(lines, ["/etc/nginx/tls.crt"])).toEqual(["subpath-mount-deleted"]);
});

test("mounts below the directory count, and one that covers it", () => {
  const below = `36 20 0:51 /${generation}/tls.crt /certs/tls.crt ro - tmpfs tmpfs rw`;
  const above = `37 20 0:51 /${generation}/web /certs ro - tmpfs tmpfs rw`;
  expect(codesOf([below], ["/certs"])).toEqual(["subpath-mount"]);
  expect(codesOf([above], ["/certs/web.crt"])).toEqual(["subpath-mount"]);
  expect(codesOf([below, above], ["/certs"])).toEqual(["subpath-mount", "subpath-mount"]);
});

test("a generation on the node's own disk counts, too", () => {
  const root = `/var/lib/kubelet/pods/1/volumes/kubernetes.io~configmap/ca/${generation}/ca.crt`;
  expect(codesOf([`36 20 8:1 ${root} /certs/ca.crt ro - ext4 /dev/sda1 rw`], ["/certs/ca.crt"])).toEqual([
    "subpath-mount",
  ]);
});

test("a mount by way of the kubelet's subPath directory counts", () => {
  const root = "/var/lib/kubelet/pods/1/volume-subpaths/certs/nginx/0";
  expect(codesOf([`36 20 8:1 ${root} /certs/tls.crt ro - ext4 /dev/sda1 rw`], ["/certs"])).toEqual(["subpath-mount"]);
});

test("mounts elsewhere are no matter of these paths", () => {
  const lines = [
    `36 20 0:51 /${generation}/tls.crt /other/tls.crt ro - tmpfs tmpfs rw`,
    `37 20 0:51 /${generation}/tls.crt /certs-old/tls.crt ro - tmpfs tmpfs rw`,
  ];
  expect(codesOf(lines, ["/certs"])).toEqual([]);
});

test("a whole volume mounted deeper covers a frozen one above it", () => {
  const lines = [
    `36 20 0:51 /${generation}/web /certs ro - tmpfs tmpfs rw`,
    "37 36 0:52 / /certs/web ro - tmpfs tmpfs rw",
  ];
  expect(codesOf(lines, ["/certs/web/tls.crt"])).toEqual([]);
});

test("the last mount at a mount point hides those before it", () => {
  const lines = [
    `36 20 0:51 /${generation}/tls.crt /certs/tls.crt ro - tmpfs tmpfs rw`,
    "37 36 0:52 / /certs/tls.crt ro - tmpfs tmpfs rw",
  ];
  expect(codesOf(lines, ["/certs"])).toEqual([]);
});

test("another process's mount of the same volume is found wherever it lies", () => {
  const volume = findMountOf(mountsOf("36 20 0:51 / /certs ro - tmpfs tmpfs rw"), "/certs/tls.crt");
  const mounts = mountsOf(
    `40 20 0:51 /${generation}/tls.crt /etc/ssl/server.pem ro - tmpfs tmpfs rw`,
    `41 20 0:99 /${generation}/tls.crt /other/server.pem ro - tmpfs tmpfs rw`,
  );
  expect(findSubPathMounts(mounts, [], volume).map((finding) => finding.message.split(" ")[0])).toEqual([
    "/etc/ssl/server.pem",
  ]);
});

test("on a shared disk only mounts from below the volume are the same volume", () => {
  const root = "/var/lib/kubelet/pods/1/volumes/kubernetes.io~configmap";
  const volume = findMountOf(mountsOf(`36 20 8:1 ${root}/ca /certs ro - ext4 /dev/sda1 rw`), "/certs");
  const mounts = mountsOf(
    `40 20 8:1 ${root}/ca/${generation}/ca.crt /a ro - ext4 /dev/sda1 rw`,
    `41 20 8:1 ${root}/ca2/${generation}/ca.crt /b ro - ext4 /dev/sda1 rw`,
  );
  expect(findSubPathMounts(mounts, [], volume).map((finding) => finding.message.split(" ")[0])).toEqual(["/a"]);
});
