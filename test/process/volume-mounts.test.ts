import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Mount, readMounts } from "../../src/volume/mountinfo.ts";
import { findMountOf, findSubPathMounts } from "../../src/volume/subpath.ts";
import { createSecretVolume } from "../support/secret-volume.ts";
import { until } from "../support/until.ts";
import { createScratch } from "../unit/volume/scratch.ts";

/** A process in a mount namespace of its own, as another container's is, once the script has made its mounts. */
async function startContainer(script: string, values: readonly string[], uid = 0): Promise<number> {
  const done = "echo ready; exec setpriv --reuid=$uid --clear-groups --inh-caps=-all sleep 600";
  const args = ["-m", "sh", "-e", "-c", `uid=${uid}; ${script}; ${done}`, "sh", ...values];
  const child: ChildProcess = spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout?.on("data", (data) => {
    output += data;
  });
  child.stderr?.on("data", (data) => {
    output += data;
  });
  await until(
    () => ({ output, exitCode: child.exitCode }),
    ({ exitCode }) => output.includes("ready") || exitCode !== null,
  );
  if (!output.includes("ready") || child.pid === undefined) throw new Error(`the mounts were not made: ${output}`);
  return child.pid;
}

async function codesFor(pid: number, paths: readonly string[], volume?: Mount): Promise<readonly string[]> {
  return findSubPathMounts(await readMounts(pid), paths, volume).map((finding) => finding.code);
}

test("a subPath mount is told before its first rotation, and as deleted after it", async () => {
  const scratch = await createScratch();
  const volume = await createSecretVolume(join(scratch, "volume"));
  await volume.publish({ "tls.crt": "1" });
  const mountPoint = join(scratch, "tls.crt");
  await writeFile(mountPoint, "");
  const pid = await startContainer('mount --bind "$(readlink -f "$1/tls.crt")" "$2"', [volume.directory, mountPoint]);

  expect(await codesFor(pid, [mountPoint])).toEqual(["subpath-mount"]);
  await volume.publish({ "tls.crt": "2" });
  expect(await codesFor(pid, [mountPoint])).toEqual(["subpath-mount-deleted"]);
});

test("a whole volume mounted is no finding, before and after a rotation", async () => {
  const scratch = await createScratch();
  const volume = await createSecretVolume(join(scratch, "volume"));
  await volume.publish({ "tls.crt": "1" });
  const mountPoint = join(scratch, "certs");
  await mkdir(mountPoint);
  const pid = await startContainer('mount --bind "$1" "$2"', [volume.directory, mountPoint]);
  expect(await codesFor(pid, [mountPoint])).toEqual([]);
  await volume.publish({ "tls.crt": "2" });
  expect(await codesFor(pid, [mountPoint])).toEqual([]);
});

test("a folder of a Secret mounted by subPath is frozen, too", async () => {
  const scratch = await createScratch();
  const volume = await createSecretVolume(join(scratch, "volume"));
  await volume.publish({ "web/tls.crt": "1" });
  const mountPoint = join(scratch, "certs");
  await mkdir(mountPoint);
  const pid = await startContainer('mount --bind "$(readlink -f "$1/web")" "$2"', [volume.directory, mountPoint]);
  expect(await codesFor(pid, [join(mountPoint, "tls.crt")])).toEqual(["subpath-mount"]);
});

test("paths with spaces and backslashes are the same paths in the mount table", async () => {
  const scratch = await createScratch();
  const volume = await createSecretVolume(join(scratch, "volume"));
  await volume.publish({ "tls crt": "1" });
  const mountPoint = join(scratch, "with space\tand\\backslash");
  await writeFile(mountPoint, "");
  const pid = await startContainer('mount --bind "$(readlink -f "$1/tls crt")" "$2"', [volume.directory, mountPoint]);
  expect(await codesFor(pid, [mountPoint])).toEqual(["subpath-mount"]);
});

test("a server of another user that mounts the same volume elsewhere by subPath is found without its paths", async () => {
  const scratch = await createScratch();
  await chmod(scratch, 0o755);
  const [node = "", agentView = "", serverFile = ""] = ["node", "agent", "server.pem"].map((name) =>
    join(scratch, name),
  );
  await mkdir(node);
  await mkdir(agentView);
  await writeFile(serverFile, "");
  // A Secret volume is a tmpfs of its own, which the node mounts into each container.
  const makeVolume = [
    'mount -t tmpfs tmpfs "$1"',
    'mkdir "$1/..2026_11_30_09_10_00.1234567890"',
    'echo 1 > "$1/..2026_11_30_09_10_00.1234567890/tls.crt"',
    'ln -s ..2026_11_30_09_10_00.1234567890 "$1/..data"',
    'mount --bind "$1" "$2"',
    'mount --bind "$1/..data/tls.crt" "$3"',
  ].join("; ");
  const pid = await startContainer(makeVolume, [node, agentView, serverFile], 10_001);
  const mounts = await readMounts(pid);
  const volume = findMountOf(mounts, join(agentView, "tls.crt"));
  expect(volume).toMatchObject({ mountPoint: agentView, root: "/", filesystem: "tmpfs" });
  expect(findSubPathMounts(mounts, [], volume).map((finding) => finding.message)).toEqual([
    `${serverFile} is a subPath mount of tls.crt alone: it keeps the content that it had when the container started`,
  ]);
});
