import { execFile } from "node:child_process";
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { writeInPlace } from "../support/plain-volume.ts";
import { createSecretVolume } from "../support/secret-volume.ts";
import { startWatcher, type WatcherProcess } from "../support/secret-volume-process.ts";
import { until } from "../support/until.ts";
import { createScratch } from "../unit/volume/scratch.ts";

const pair = (version: string) => ({ "tls.crt": version, "tls.key": version });

function start(...args: Parameters<typeof startWatcher>): WatcherProcess {
  const watcher = startWatcher(...args);
  onTestFinished(() => watcher.kill());
  return watcher;
}

/** Runs a command in a mount namespace of its own after a script has made the mounts. */
function inMountNamespace(script: string, ...values: readonly string[]): readonly string[] {
  return ["unshare", "-m", "sh", "-e", "-c", `${script}; shift ${values.length}; exec "$@"`, "sh", ...values];
}

test("a filesystem that takes watches and sends no events is found out by the poll, once in words, each time in the count", async () => {
  const scratch = await createScratch();
  const [lower = "", upper, work, merged = ""] = ["lower", "upper", "work", "merged"].map((name) =>
    join(scratch, name),
  );
  for (const directory of [lower, upper, work, merged]) await mkdir(directory ?? "");
  const write = async (version: string): Promise<void> => {
    for (const name of ["tls.key", "tls.crt"]) await writeInPlace(lower, name, version);
  };
  await write("1");
  const prefix = inMountNamespace(
    'mount -t overlay overlay -o "lowerdir=$1,upperdir=$2,workdir=$3" "$4"',
    ...[lower, upper ?? "", work ?? "", merged],
  );
  const watcher = start(merged, { prefix, pollMs: 200 });
  await watcher.atRest();
  for (const version of ["2", "3", "4"]) {
    await write(version);
    expect(await watcher.certificate(version)).toMatchObject({ cause: "poll", isMissed: true });
  }
  await watcher.end();
  expect(watcher.lines.filter((line) => line.type === "mode")).toEqual([
    { type: "mode", mode: "events", detail: "the directory is watched" },
    { type: "mode", mode: "poll", detail: "the content changed and no event told of it" },
  ]);
});

test("a whole volume mounted into another mount namespace sends events there", async () => {
  const scratch = await createScratch();
  const volume = await createSecretVolume(join(scratch, "volume"));
  await volume.publish(pair("1"));
  const mountPoint = join(scratch, "container");
  await mkdir(mountPoint);
  const prefix = inMountNamespace('mount --bind "$1" "$2"', volume.directory, mountPoint);
  const watcher = start(mountPoint, { prefix, pollMs: 60_000 });
  await watcher.line((line) => line.type === "mode" && line.mode === "events");
  for (let version = 2; version <= 6; version++) {
    await volume.publish(pair(String(version)));
    expect(await watcher.certificate(String(version))).toMatchObject({ cause: "event" });
  }
});

test("two rotations within a moment end at the second", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish(pair("1"));
  const watcher = start(volume.directory, { pollMs: 60_000 });
  await watcher.line((line) => line.type === "mode" && line.mode === "events");
  for (let version = 2; version <= 9; version++) await volume.publish(pair(String(version)));
  await watcher.certificate("9");
  await watcher.end();
  expect(watcher.lines.findLast((line) => line.type === "content")).toMatchObject({ certificate: "9" });
});

test("a key that only a chmod makes readable is found by the poll, after a finding that names everything", async () => {
  const volume = await createSecretVolume(await createScratch());
  await chmod(volume.directory, 0o755);
  const generation = await volume.publish(pair("1"), { mode: 0o440 });
  await chmod(join(volume.directory, generation, "tls.crt"), 0o444);
  const prefix = ["setpriv", "--reuid=10001", "--regid=10001", "--groups=10002", "--no-new-privs"];
  const watcher = start(volume.directory, { prefix, pollMs: 200 });
  expect(await watcher.line((line) => line.type === "content")).toMatchObject({
    findings: [
      {
        code: "file-not-permitted",
        message: `reading ${volume.directory}/tls.key is not permitted: it belongs to 0:0 with mode 0440, and this process is uid 10001, gid 10001, further groups 10002`,
      },
    ],
  });
  await watcher.atRest();
  await chmod(join(volume.directory, generation, "tls.key"), 0o444);
  expect(await watcher.certificate("1")).toMatchObject({ cause: "poll" });
});

test("group read is enough for a member, and a closed directory on the way is the one that is named", async () => {
  const scratch = await createScratch();
  await chmod(scratch, 0o755);
  const volume = await createSecretVolume(join(scratch, "closed", "volume"));
  await volume.publish(pair("1"), { mode: 0o440, gid: 10_002 });
  const prefix = ["setpriv", "--reuid=10001", "--regid=10001", "--groups=10002", "--no-new-privs"];
  await start(volume.directory, { prefix }).certificate("1");

  await chmod(join(scratch, "closed"), 0o700);
  const watcher = start(volume.directory, { prefix });
  expect(await watcher.line((line) => line.type === "content")).toMatchObject({
    findings: [
      {
        code: "file-not-permitted",
        message: expect.stringContaining(
          `entering ${scratch}/closed is not permitted: it belongs to 0:0 with mode 0700`,
        ),
      },
    ],
  });
});

test("no descriptor left is a finding that says so, and it passes", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish(pair("1"));
  const program = fileURLToPath(new URL("../support/secret-volume-starved.ts", import.meta.url));
  const args = ["-c", 'ulimit -n 100 && exec "$@"', "sh", process.execPath, program, volume.directory];
  const { stdout } = await promisify(execFile)("sh", args);
  expect(JSON.parse(stdout)).toEqual([
    [
      ["read-failed", `reading ${volume.directory}/tls.crt failed with EMFILE`],
      ["read-failed", `reading ${volume.directory}/tls.key failed with EMFILE`],
    ],
    "1",
  ]);
});

test("a directory that is taken away, put back, moved and replaced while it is watched is followed", async () => {
  const scratch = await createScratch();
  const directory = join(scratch, "certs");
  await (await createSecretVolume(directory)).publish(pair("1"));
  const watcher = start(directory, { pollMs: 300 });
  await watcher.line((line) => line.type === "mode" && line.mode === "events");
  await watcher.certificate("1");

  await rm(directory, { recursive: true });
  await watcher.line((line) => line.type === "content" && line.findings?.[0]?.code === "volume-absent");
  await mkdir(directory);
  for (const name of ["tls.crt", "tls.key"]) await writeFile(join(directory, name), "2");
  await watcher.certificate("2");

  await (await createSecretVolume(join(scratch, "next"))).publish(pair("3"));
  await until(
    () => watcher.lines.findLast((line) => line.type === "mode"),
    (line) => line?.mode === "events",
  );
  await rename(directory, join(scratch, "old"));
  await rename(join(scratch, "next"), directory);
  await watcher.certificate("3");
  await (await createSecretVolume(directory)).publish(pair("4"));
  await watcher.certificate("4");
});
