import { execFileSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { sampleOf, untilConfirmed, untilEvent, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import { writeAllInPlace, writeInPlace } from "../support/plain-volume.ts";
import { createStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

const ordinaryUser = ["setpriv", "--reuid=10001", "--regid=10001", "--clear-groups", "--inh-caps=-all"];

/** A stage whose volume is an ordinary directory, with a pair in it and a server that has loaded it. */
async function createPlainStage() {
  const stage = await createStage();
  const { certificatePem, keyPem } = await stage.issue();
  await writeAllInPlace(stage.volume.directory, { "tls.crt": certificatePem, "tls.key": keyPem });
  return { stage, server: await stage.startServer() };
}

/** A user namespace has its own inotify limits, and its root may lower them. */
function limitToNone(setting: string): readonly string[] {
  return ["unshare", "-U", "-r", "sh", "-c", `echo 0 > /proc/sys/user/${setting} && exec "$@"`, "sh"];
}

async function openToAll({ volume }: Stage): Promise<void> {
  await chmod(dirname(volume.directory), 0o755);
}

test("plain files of which the key comes a second after the certificate end in one reload, and nothing is called wrong", async () => {
  const { stage, server } = await createPlainStage();
  const agent = await stage.startAgent(["--delay-interval", "200ms"]);
  await untilState(agent, "in-sync");

  const renewed = await stage.issue();
  await writeInPlace(stage.volume.directory, "tls.crt", renewed.certificatePem);
  // Twice the settle time: the half-written state is seen at rest.
  await untilLookedAgain(agent);
  await untilLookedAgain(agent);
  await writeInPlace(stage.volume.directory, "tls.key", renewed.keyPem);

  expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 1 });
  await untilState(agent, "in-sync");
  expect(server.told()).toBe(1);
  expect(agent.events("keypair-refused")).toEqual([]);
  expect(agent.events("volume-missing")).toEqual([]);
  expect(await sampleOf(agent, "certhup_keypair_refused_total")).toBe(0);
});

test("a plain file that is truncated first and written later is waited for, too", async () => {
  const { stage, server } = await createPlainStage();
  const agent = await stage.startAgent(["--delay-interval", "200ms"]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  for (const name of ["tls.key", "tls.crt"]) await writeInPlace(stage.volume.directory, name, "");
  await untilLookedAgain(agent);
  await writeInPlace(stage.volume.directory, "tls.key", renewed.keyPem);
  await untilLookedAgain(agent);
  await writeInPlace(stage.volume.directory, "tls.crt", renewed.certificatePem.slice(0, 300));
  await untilLookedAgain(agent);
  await writeInPlace(stage.volume.directory, "tls.crt", renewed.certificatePem);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 1 });
  expect(server.told()).toBe(1);
  expect(agent.events("keypair-refused")).toEqual([]);
  expect(agent.events("volume-missing")).toEqual([]);
});

test("plain files that stay half written are named once the grace is over, and taken up when they are whole", async () => {
  const { stage } = await createPlainStage();
  const agent = await stage.startAgent(["--delay-interval", "100ms", "--write-grace", "700ms"]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await writeInPlace(stage.volume.directory, "tls.crt", renewed.certificatePem);
  await untilState(agent, "refused", /key/);
  expect(agent.events("keypair-refused")).toHaveLength(1);
  await writeInPlace(stage.volume.directory, "tls.key", renewed.keyPem);
  await untilConfirmed(agent, renewed);
});

test("a key file that is not to be read is left alone, and said to be unchecked", async () => {
  const stage = await createStage();
  await openToAll(stage);
  const first = await stage.issue();
  await stage.publish(first);
  await stage.startServer("rereading");
  const agent = await stage.startAgent(["--key-file", "none", "--reload", "none"], {}, ordinaryUser);
  await untilState(agent, "in-sync");
  const { findings } = await untilEvent(agent, "keypair-accepted");
  expect(findings).toEqual([expect.objectContaining({ code: "key-not-checked", severity: "warn" })]);

  const renewed = await stage.issue();
  await stage.volume.publish(
    { "tls.crt": renewed.certificatePem, "tls.key": renewed.keyPem, "ca.crt": await stage.caPem() },
    { mode: 0o600 },
  );
  await chmod(join(stage.volume.directory, "tls.crt"), 0o644);
  await untilConfirmed(agent, renewed);
  await untilState(agent, "in-sync");
});

test("a keypair that becomes readable by chmod alone is found by the poll", async () => {
  const stage = await createStage();
  await openToAll(stage);
  await stage.publish(await stage.issue());
  await stage.startServer("rereading");
  const key = join(stage.volume.directory, "tls.key");
  await chmod(key, 0o600);
  const agent = await stage.startAgent(["--reload", "none"], {}, ordinaryUser);
  const { text } = await untilState(agent, "waiting", /tls\.key/);
  expect(text).toMatch(/10001/);
  expect((await fetch(`${agent.url}/livez`)).status).toBe(200);

  await chmod(key, 0o644);
  await untilState(agent, "in-sync");
});

test.for([
  ["max_inotify_instances", /^EMFILE/],
  ["max_inotify_watches", /^ENOSPC/],
] as const)("with %s at 0 the agent works by its poll, and says so in one line", async ([setting, detail]) => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent([], {}, limitToNone(setting));
  await untilState(agent, "in-sync");

  for (let times = 1; times <= 3; times++) {
    const renewed = await stage.issue();
    await stage.publish(renewed);
    await untilConfirmed(agent, renewed);
    expect(server.told()).toBe(times);
  }

  expect(agent.events("watch-mode")).toEqual([
    expect.objectContaining({ level: "warn", mode: "poll", detail: expect.stringMatching(detail) }),
  ]);
  expect(agent.events("watch-missed")).toEqual([]);
  expect(await sampleOf(agent, "certhup_watch_mode", { mode: "poll" })).toBe(1);
  expect(await sampleOf(agent, "certhup_watch_mode", { mode: "events" })).toBe(0);
  expect((await agent.status()).targets[0].volume).toMatchObject({ watchMode: "poll" });

  // Once the limit is raised, events come back.
  execFileSync("nsenter", ["-U", "-t", String(agent.pid), "sh", "-c", `echo 100 > /proc/sys/user/${setting}`]);
  await until(
    () => sampleOf(agent, "certhup_watch_mode", { mode: "events" }),
    (value) => value === 1,
    { timeoutMs: 20_000 },
  );
  expect(agent.events("watch-mode")).toHaveLength(2);
});

test("a volume that the agent may not enter is told with its uid, and taken up once it may", async () => {
  const stage = await createStage();
  await openToAll(stage);
  await stage.publish(await stage.issue());
  await stage.startServer("rereading");
  await chmod(stage.volume.directory, 0o700);
  const agent = await stage.startAgent(["--reload", "none"], {}, ordinaryUser);
  await untilState(agent, "waiting", /10001/);
  await chmod(stage.volume.directory, 0o755);
  await untilState(agent, "in-sync");
});
