import { expect, test } from "vitest";
import { sampleOf, untilConfirmed, untilEvent, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import { createStage } from "../support/stage.ts";
import { until } from "../support/until.ts";

test("a renewal is told to the server once, served, and confirmed by handshakes", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  expect(server.told()).toBe(0);

  const renewed = await stage.issue();
  const generation = await stage.publish(renewed);
  await until(stage.served, (served) => served === renewed.fingerprint);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ cause: "renewal", reloads: 1 });

  expect(await untilState(agent, "in-sync")).toMatchObject({ status: 200 });
  expect(server.told()).toBe(1);
  const status = await agent.status();
  expect(status).toMatchObject({
    isReady: true,
    notVerified: [expect.stringContaining("UDP")],
    targets: [
      {
        volume: { directory: stage.volume.directory, state: "accepted", watchMode: "events", generation },
        wanted: { fingerprint: renewed.fingerprint, confirmed: true },
        endpoints: [{ endpoint: stage.endpoint, verdict: "match", served: { fingerprint: renewed.fingerprint } }],
        work: { kind: "idle" },
        lastReload: { outcome: "accepted" },
        rotations: [{ outcome: "confirmed", reloads: 1, generation }],
      },
    ],
  });
  expect(await sampleOf(agent, "certhup_rotations_total", { outcome: "confirmed" })).toBe(1);
  expect(await sampleOf(agent, "certhup_rotation_duration_seconds_count")).toBe(1);
});

test("five renewals in a row, two of them within a second, end as the newest one each time", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");

  const pairs = await Promise.all(Array.from({ length: 5 }, () => stage.issue()));
  for (const [position, pair] of pairs.entries()) {
    await stage.publish(pair);
    // The third follows upon the second without a pause.
    if (position !== 1) await untilConfirmed(agent, pair);
    if (position !== 1) expect(await stage.served()).toBe(pair.fingerprint);
  }

  await untilState(agent, "in-sync");
  const { targets } = await agent.status();
  expect(targets[0].wanted).toMatchObject({ fingerprint: pairs.at(-1)?.fingerprint, confirmed: true });
});

test("a swap that was missed while the agent was away is made good at its start, with one reload", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const missed = await stage.issue();
  await stage.publish(missed);

  const agent = await stage.startAgent();

  expect(await untilConfirmed(agent, missed)).toMatchObject({ cause: "start", reloads: 1 });
  expect(await stage.served()).toBe(missed.fingerprint);
  await untilLookedAgain(agent);
  expect(server.told()).toBe(1);
});

test("a start with the certificate in the volume served already tells the server nothing", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  await untilLookedAgain(agent);
  expect(server.told()).toBe(0);
  expect(agent.events("rotation-begun")).toEqual([]);
});

test("the same content published again is no renewal", async () => {
  const stage = await createStage();
  const pair = await stage.issue();
  await stage.publish(pair);
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  const before = await stage.volume.generation();

  // A key that the agent doesn't read makes the kubelet publish everything anew.
  const { certificatePem: crt, keyPem: key } = pair;
  const generation = await stage.publishFiles({
    "tls.crt": crt,
    "tls.key": key,
    "ca.crt": await stage.caPem(),
    other: "x",
  });
  expect(generation).not.toBe(before);
  await untilLookedAgain(agent);

  expect(server.told()).toBe(0);
  expect(agent.events("rotation-begun")).toEqual([]);
  expect((await agent.status()).targets[0]).toMatchObject({ volume: { generation }, readiness: { state: "in-sync" } });
});

test("a change of the chain alone is a renewal, confirmed by the chain that is presented", async () => {
  const stage = await createStage();
  const pair = await stage.issue({ intermediates: 1 });
  const [leaf = ""] = pair.certificatePem.split(/(?<=-----END CERTIFICATE-----\n)/);
  await stage.publish({ certificatePem: leaf, keyPem: pair.keyPem });
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");

  await stage.publish(pair);
  expect(await untilConfirmed(agent, pair)).toMatchObject({ cause: "renewal", reloads: 1 });
  expect(server.told()).toBe(1);
});

test("a change of the CA file alone is told to the server, though no handshake can show it", async () => {
  const stage = await createStage();
  const pair = await stage.issue();
  await stage.publish(pair);
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");

  const caPem = `${await stage.caPem()}${(await stage.issue({ selfSigned: true })).certificatePem}`;
  await stage.publishFiles({ "tls.crt": pair.certificatePem, "tls.key": pair.keyPem, "ca.crt": caPem });

  await untilEvent(agent, "rotation-ended", ({ outcome }) => outcome === "confirmed");
  await untilState(agent, "in-sync");
  await untilLookedAgain(agent);
  expect(server.told()).toBe(1);
});
