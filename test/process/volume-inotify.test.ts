import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSecretVolume, type SecretVolume } from "../support/secret-volume.ts";
import { startWatcher, type WatcherProcess } from "../support/secret-volume-process.ts";
import { createScratch } from "../unit/volume/scratch.ts";

const pair = (version: string) => ({ "tls.crt": version, "tls.key": version });

/** A user namespace has its own inotify limits, and its root may lower them. */
function limitTo(setting: "max_inotify_instances" | "max_inotify_watches", limit: number): readonly string[] {
  return ["unshare", "-U", "-r", "sh", "-c", `echo ${limit} > /proc/sys/user/${setting} && exec "$@"`, "sh"];
}

async function createVolume(): Promise<SecretVolume> {
  const scratch = await createScratch();
  await chmod(scratch, 0o755);
  const volume = await createSecretVolume(scratch);
  await volume.publish(pair("1"));
  return volume;
}

function start(...args: Parameters<typeof startWatcher>): WatcherProcess {
  const watcher = startWatcher(...args);
  onTestFinished(() => watcher.kill());
  return watcher;
}

test.for([
  ["max_inotify_instances", /^EMFILE: .*max_user_instances/],
  ["max_inotify_watches", /^ENOSPC: .*max_user_watches/],
] as const)("with %s at 0 rotations are found by the poll, and told once", async ([setting, detail]) => {
  const volume = await createVolume();
  const watcher = start(volume.directory, { prefix: limitTo(setting, 0), pollMs: 200 });
  await watcher.certificate("1");
  for (const version of ["2", "3", "4"]) {
    await volume.publish(pair(version));
    expect(await watcher.certificate(version)).toMatchObject({ cause: "poll", isMissed: false });
  }
  await watcher.end();
  expect(watcher.lines.filter((line) => line.type === "mode")).toEqual([
    { type: "mode", mode: "poll", detail: expect.stringMatching(detail) },
  ]);
});

test.for(["max_inotify_instances", "max_inotify_watches"] as const)(
  "once %s allows it again, events come back",
  async (setting) => {
    const volume = await createVolume();
    const watcher = start(volume.directory, { prefix: limitTo(setting, 0), pollMs: 200 });
    await watcher.line((line) => line.type === "mode" && line.mode === "poll");
    watcher.send(`/proc/sys/user/${setting}=100`);
    await watcher.atRest();
    const before = watcher.lines.length;
    await volume.publish(pair("2"));
    await watcher.line((line) => line.type === "looked" && line.cause === "event", before);
    await watcher.certificate("2");
    await watcher.end();
    expect(watcher.lines.filter((line) => line.type === "mode")).toHaveLength(2);
  },
);

test("a limit that is reached later ends no watch that works already", async () => {
  const volume = await createVolume();
  const watcher = start(volume.directory, { prefix: limitTo("max_inotify_watches", 100), pollMs: 60_000 });
  await watcher.line((line) => line.type === "mode" && line.mode === "events");
  watcher.send("/proc/sys/user/max_inotify_watches=0");
  await volume.publish(pair("2"));
  expect(await watcher.certificate("2")).toMatchObject({ cause: "event" });
});

test("a burst of 20,000 files overflows the queue and hides no rotation", async () => {
  const volume = await createVolume();
  const watcher = start(volume.directory, { pollMs: 1000 });
  await watcher.line((line) => line.type === "mode" && line.mode === "events");
  const names = Array.from({ length: 20_000 }, (_, index) => join(volume.directory, `noise-${index}`));
  for (let at = 0; at < names.length; at += 500) {
    await Promise.all(names.slice(at, at + 500).map((name) => writeFile(name, "")));
  }
  await volume.publish(pair("2"));
  await watcher.certificate("2");
  await watcher.end();
  const [end] = watcher.lines.filter((line) => line.type === "end");
  // 80,000 events and more: the looks follow the time that they take, not their number.
  expect(end?.looks).toBeLessThan(500);
});
