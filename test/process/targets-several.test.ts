import { mkdir, rename, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sampleOf, untilConfirmed, untilEvent, untilLookedAgain } from "../support/agent-waits.ts";
import { createStage, type Stage, type StagedServer } from "../support/stage.ts";
import { startAgentFor, targetOf, untilTarget } from "../support/staged-targets.ts";
import { until } from "../support/until.ts";

interface Staged {
  readonly stage: Stage;
  readonly server: StagedServer;
}

/** Volumes with a pair in them, and a server for each that has loaded it. */
async function createStages(count: number): Promise<readonly Staged[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const stage = await createStage();
      await stage.publish(await stage.issue());
      return { stage, server: await stage.startServer() };
    }),
  );
}

test("each of several targets rotates alone, and only its own server is told", async () => {
  const [one, two, three] = await createStages(3);
  if (one === undefined || two === undefined || three === undefined) throw new Error("three were made");
  const agent = await startAgentFor([
    targetOf(one.stage, { name: "one" }),
    targetOf(two.stage, { name: "two" }),
    targetOf(three.stage, { name: "three" }),
  ]);
  for (const name of ["one", "two", "three"]) await untilTarget(agent, name, "in-sync");

  const renewed = await two.stage.issue();
  await two.stage.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ target: "two", cause: "renewal", reloads: 1 });
  expect(await two.stage.served()).toBe(renewed.fingerprint);
  expect([one, two, three].map(({ server }) => server.told())).toEqual([0, 1, 0]);
  expect(agent.events("rotation-begun").map(({ target }) => target)).toEqual(["two"]);
  expect(await sampleOf(agent, "certhup_rotations_total", { target: "two", outcome: "confirmed" })).toBe(1);
  expect(await sampleOf(agent, "certhup_rotations_total", { target: "one" })).toBe(0);

  const renewals = await Promise.all(
    [one, two, three].map(async ({ stage }) => {
      const pair = await stage.issue();
      await stage.publish(pair);
      return pair;
    }),
  );
  for (const pair of renewals) await untilConfirmed(agent, pair);
  expect([one, two, three].map(({ server }) => server.told())).toEqual([1, 2, 1]);
  const { isReady, targets } = await agent.status();
  expect({ isReady, names: targets.map(({ name }: { name: string }) => name) }).toEqual({
    isReady: true,
    names: ["one", "two", "three"],
  });
});

test("a bad keypair of one target neither disturbs another nor makes the pod unready", async () => {
  const [bad, good] = await createStages(2);
  if (bad === undefined || good === undefined) throw new Error("two were made");
  const agent = await startAgentFor([targetOf(bad.stage, { name: "bad" }), targetOf(good.stage, { name: "good" })]);
  await untilTarget(agent, "good", "in-sync");
  await untilTarget(agent, "bad", "in-sync");

  const { certificatePem } = await bad.stage.issue();
  await bad.stage.publish({ certificatePem, keyPem: (await bad.stage.issue()).keyPem });
  await untilTarget(agent, "bad", "refused", /key/);
  const renewed = await good.stage.issue();
  await good.stage.publish(renewed);
  await untilConfirmed(agent, renewed);

  await untilTarget(agent, "good", "in-sync");
  expect(await agent.ready()).toMatchObject({ status: 200 });
  expect([bad.server.told(), good.server.told()]).toEqual([0, 1]);
  expect(await sampleOf(agent, "certhup_keypair_refused_total", { target: "good" })).toBe(0);
  expect(await sampleOf(agent, "certhup_keypair_refused_total", { target: "bad" })).toBe(1);
});

test("one target whose server is deaf makes the pod unready, and the answer says which one", async () => {
  const [deaf, good] = [await createStage(), await createStage()];
  await deaf.publish(await deaf.issue());
  await good.publish(await good.issue());
  await deaf.startServer("deaf");
  await good.startServer();
  const agent = await startAgentFor([
    targetOf(deaf, { name: "deaf", verifyTimeout: "300ms", staleGrace: "1s" }),
    targetOf(good, { name: "good" }),
  ]);
  await untilTarget(agent, "deaf", "in-sync");
  await deaf.publish(await deaf.issue());
  const renewed = await good.issue();
  await good.publish(renewed);
  await untilConfirmed(agent, renewed);

  await untilTarget(agent, "deaf", "stale");
  await untilTarget(agent, "good", "in-sync");
  expect(await agent.ready()).toMatchObject({ status: 503 });
  expect(await sampleOf(agent, "certhup_ready", { target: "deaf" })).toBe(0);
  expect(await sampleOf(agent, "certhup_ready", { target: "good" })).toBe(1);
});

test("a directory that two targets share is renewed once for both, and each is told by its own way", async () => {
  const [shared, other] = [await createStage(), await createStage()];
  await shared.publish(await shared.issue());
  const first = await shared.startServer();
  const second = await other.startServer(undefined, shared.volume.directory);
  const certDir = shared.volume.directory;
  const agent = await startAgentFor([
    targetOf(shared, { name: "first" }),
    targetOf(other, { name: "second", certDir, minInterval: "0s" }),
  ]);
  await untilTarget(agent, "first", "in-sync");
  await untilTarget(agent, "second", "in-sync");

  const renewed = await shared.issue();
  await shared.publish(renewed);
  for (const name of ["first", "second"]) {
    await untilEvent(agent, "rotation-ended", ({ target, outcome }) => target === name && outcome === "confirmed");
  }
  expect([await shared.served(), await other.served()]).toEqual([renewed.fingerprint, renewed.fingerprint]);
  expect([first.told(), second.told()]).toEqual([1, 1]);
});

test("of two pairs in one Secret only the renewed one is told to its server", async () => {
  const [one, two] = [await createStage(), await createStage()];
  const [first, second] = [await one.issue(), await two.issue()];
  const filesOf = (pair: typeof first, name: string) => ({
    [`${name}.crt`]: pair.certificatePem,
    [`${name}.key`]: pair.keyPem,
  });
  await one.publishFiles({ ...filesOf(first, "one"), ...filesOf(second, "two") });
  // The servers read the names that they know.
  const copies = [one, two].map((_, position) => join(dirname(one.volume.directory), `copy-${position}`));
  for (const [position, name] of ["one", "two"].entries()) {
    const copy = copies[position] ?? "";
    await mkdir(copy);
    for (const end of ["crt", "key"])
      await symlink(join(one.volume.directory, `${name}.${end}`), join(copy, `tls.${end}`));
  }
  const servers = [await one.startServer(undefined, copies[0]), await two.startServer(undefined, copies[1])];
  const certDir = one.volume.directory;
  const agent = await startAgentFor([
    targetOf(one, { name: "one", certDir, certFile: "one.crt", keyFile: "one.key" }),
    targetOf(two, { name: "two", certDir, certFile: "two.crt", keyFile: "two.key" }),
  ]);
  await untilTarget(agent, "one", "in-sync");
  await untilTarget(agent, "two", "in-sync");

  const renewed = await two.issue();
  await one.publishFiles({ ...filesOf(first, "one"), ...filesOf(renewed, "two") });
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ target: "two", reloads: 1 });
  await untilLookedAgain(agent);
  expect(servers.map((server) => server.told())).toEqual([0, 1]);
  expect(agent.events("rotation-begun").map(({ target }) => target)).toEqual(["two"]);
});

test("a target whose directory is away doesn't disturb the others, and is taken up when it comes", async () => {
  const [late, early] = await createStages(2);
  if (late === undefined || early === undefined) throw new Error("two were made");
  const { directory } = late.stage.volume;
  await rename(directory, `${directory}-away`);
  const agent = await startAgentFor([targetOf(late.stage, { name: "late" }), targetOf(early.stage, { name: "early" })]);
  await untilTarget(agent, "late", "waiting", /there is no directory/);
  const renewed = await early.stage.issue();
  await early.stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect(await agent.ready()).toMatchObject({ status: 503 });

  await rename(`${directory}-away`, directory);
  await untilTarget(agent, "late", "in-sync");
  expect(await agent.ready()).toMatchObject({ status: 200 });
});

test("a server that never answers keeps no other target waiting", async () => {
  const [silent, quick] = [await createStage(), await createStage()];
  await silent.publish(await silent.issue());
  await quick.publish(await quick.issue());
  const mute = createServer().listen(Number(silent.endpoint.split(":")[1]), "127.0.0.1");
  onTestFinished(() => void mute.close());
  await quick.startServer();
  const agent = await startAgentFor([
    targetOf(silent, { name: "silent", reload: "none", probeTimeout: "3s" }),
    targetOf(quick, { name: "quick" }),
  ]);
  await untilTarget(agent, "quick", "in-sync");

  const renewed = await quick.issue();
  await quick.publish(renewed);
  const { durationMs } = await untilConfirmed(agent, renewed);
  expect(durationMs).toBeLessThan(2_500);
  await untilTarget(agent, "silent", "unreachable", /within|no answer|time/);
});

test("a reload command that hangs keeps no other target waiting", async () => {
  const [slow, quick] = [await createStage(), await createStage()];
  await slow.publish(await slow.issue());
  await quick.publish(await quick.issue());
  await slow.startServer();
  await quick.startServer();
  const agent = await startAgentFor([
    targetOf(slow, { name: "slow", reload: "exec", exec: ["sleep", "60"], reloadTimeout: "5s" }),
    targetOf(quick, { name: "quick" }),
  ]);
  await untilTarget(agent, "slow", "in-sync");
  await untilTarget(agent, "quick", "in-sync");
  await slow.publish(await slow.issue());
  await until(
    () => agent.status(),
    ({ targets }) => targets[0].work.kind === "reloading",
  );

  const renewed = await quick.issue();
  await quick.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect((await agent.status()).targets[0].work).toMatchObject({ kind: "reloading", strategy: "exec" });
});
