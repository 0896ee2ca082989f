import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
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

/** What a process finds among its own mounts, once the script has made them. */
async function inspectAfter(script: string, directory: string, ...values: readonly string[]): Promise<Inspected> {
  const program = fileURLToPath(new URL("../support/secret-volume-mounts.ts", import.meta.url));
  const run = 'node="$1"; program="$2"; directory="$3"; shift 3';
  const args = ["-m", "sh", "-e", "-c", `${run}; ${script}; exec "$node" "$program" "$directory"`, "sh"];
  const { stdout } = await promisify(execFile)("unshare", [...args, process.execPath, program, directory, ...values]);
  return JSON.parse(stdout);
}

interface Inspected {
  readonly findings: readonly (readonly [code: string, message: string])[];
  readonly volume: Mount | undefined;
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

test("a process finds the subPath mounts below its own directory, and those that links lead to", async () => {
  const scratch = await createScratch();
  const volume = await createSecretVolume(join(scratch, "volume"));
  await volume.publish({ "tls.crt": "1", "tls.key": "1" });
  const certs = join(scratch, "certs");
  const mounted = join(scratch, "mounted.key");
  await mkdir(certs);
  for (const path of [join(certs, "tls.crt"), mounted]) await writeFile(path, "");
  await symlink(mounted, join(certs, "tls.key"));
  const script = 'mount --bind "$(readlink -f "$1/tls.crt")" "$2"; mount --bind "$(readlink -f "$1/tls.key")" "$3"';

  const { findings } = await inspectAfter(script, certs, volume.directory, join(certs, "tls.crt"), mounted);

  expect(findings).toEqual([
    ["subpath-mount", expect.stringContaining(`${certs}/tls.crt is a subPath mount of tls.crt alone`)],
    ["subpath-mount", expect.stringContaining(`${mounted} is a subPath mount of tls.key alone`)],
  ]);
});

test("a single plain file mounted from the host is told apart from a subPath mount", async () => {
  const scratch = await createScratch();
  const certs = join(scratch, "certs");
  await mkdir(certs);
  for (const path of ["host.crt", "certs/tls.crt", "certs/tls.key"]) await writeFile(join(scratch, path), "1");
  const hostFile = join(scratch, "host.crt");

  const { findings } = await inspectAfter('mount --bind "$1" "$2"', certs, hostFile, join(certs, "tls.crt"));

  expect(findings).toEqual([["file-mount", expect.stringContaining(`${certs}/tls.crt is a mount of the single file`)]]);
});

test("a directory mounted whole has no findings, and its mount is told", async () => {
  const scratch = await createScratch();
  const certs = join(scratch, "certs");
  await mkdir(certs);
  const inspected = await inspectAfter('mount -t tmpfs tmpfs "$1"', certs, certs);
  expect(inspected).toMatchObject({ findings: [], volume: { mountPoint: certs, filesystem: "tmpfs", root: "/" } });
});
