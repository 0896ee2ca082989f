import { expect, test } from "vitest";
import { sampleOf, untilConfirmed, untilEvent, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import type { IssuedCertificate } from "../support/certificates.ts";
import { createStage, type Stage } from "../support/stage.ts";

interface BadPair {
  readonly name: string;
  readonly code: string;
  make(stage: Stage, good: IssuedCertificate): Promise<{ certificatePem: string; keyPem: string }>;
}

const dayMs = 86_400_000;

const badPairs: readonly BadPair[] = [
  {
    name: "with the key of another certificate",
    code: "key-mismatch",
    make: async (stage, { certificatePem }) => ({ certificatePem, keyPem: (await stage.issue()).keyPem }),
  },
  {
    name: "with a key of another type",
    code: "key-mismatch",
    make: async (stage, { certificatePem }) => ({
      certificatePem,
      keyPem: (await stage.issue({ keyType: "rsa-2048" })).keyPem,
    }),
  },
  {
    name: "that has expired",
    code: "expired",
    make: (stage) =>
      stage.issue({ notBefore: new Date(Date.now() - 9 * dayMs), notAfter: new Date(Date.now() - dayMs) }),
  },
  {
    name: "that begins tomorrow",
    code: "not-yet-valid",
    make: (stage) => stage.issue({ notBefore: new Date(Date.now() + dayMs) }),
  },
  {
    name: "whose certificate is cut off",
    code: "pem-truncated",
    make: async (_, { certificatePem, keyPem }) => ({ certificatePem: certificatePem.slice(0, 300), keyPem }),
  },
  {
    name: "whose key is cut off",
    code: "pem-truncated",
    make: async (_, { certificatePem, keyPem }) => ({ certificatePem, keyPem: keyPem.slice(0, 150) }),
  },
  {
    name: "in which key and certificate are swapped",
    code: "no-certificate",
    make: async (_, { certificatePem, keyPem }) => ({ certificatePem: keyPem, keyPem: certificatePem }),
  },
];

test.for(badPairs)("a keypair $name is refused, the old one stays served, the pod ready", async ({ code, make }) => {
  const stage = await createStage();
  const good = await stage.issue();
  await stage.publish(good);
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");

  await stage.publish(await make(stage, await stage.issue()));
  const { findings } = await untilEvent(agent, "keypair-refused");
  expect(findings).toContainEqual(
    expect.objectContaining({ code, severity: "refuse", message: expect.stringMatching(/\w/) }),
  );
  await untilLookedAgain(agent);

  expect(await agent.ready()).toEqual({ status: 200, text: expect.stringContaining("default: refused: ") });
  expect(await stage.served()).toBe(good.fingerprint);
  expect(server.told()).toBe(0);
  expect(agent.events("keypair-refused")).toHaveLength(1);
  expect(await sampleOf(agent, "certhup_keypair_refused_total", { reason: code })).toBe(1);
  expect(await sampleOf(agent, "certhup_ready")).toBe(1);
  const { targets } = await agent.status();
  expect(targets[0]).toMatchObject({
    volume: { state: "refused", findings: expect.arrayContaining([expect.objectContaining({ code })]) },
    rotations: [{ outcome: "refused", reloads: 0 }],
  });
});

test("empty files are named after the grace, the old keypair stays served, the pod ready", async () => {
  const stage = await createStage();
  const good = await stage.issue();
  await stage.publish(good);
  const server = await stage.startServer();
  const agent = await stage.startAgent(["--write-grace", "500ms"]);
  await untilState(agent, "in-sync");
  await stage.publish({ certificatePem: "", keyPem: "" });
  const { status, text } = await untilState(agent, "refused");
  expect({ status, text }).toEqual({
    status: 200,
    text: expect.stringMatching(/tls\.crt is empty.*tls\.key is empty/),
  });
  expect(await stage.served()).toBe(good.fingerprint);
  expect(server.told()).toBe(0);
});

test("after a bad keypair the next good one is served", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  await stage.publish({ ...(await stage.issue()), keyPem: (await stage.issue()).keyPem });
  await untilState(agent, "refused");

  const good = await stage.issue();
  await stage.publish(good);
  await untilConfirmed(agent, good);
  expect(await stage.served()).toBe(good.fingerprint);
  expect(server.told()).toBe(1);
});

test("after a bad keypair the old one in the volume again is in sync without a word to the server", async () => {
  const stage = await createStage();
  const old = await stage.issue();
  await stage.publish(old);
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  await stage.publish({ certificatePem: "nothing", keyPem: "nothing" });
  await untilState(agent, "refused");

  await stage.publish(old);
  await untilState(agent, "in-sync");
  await untilLookedAgain(agent);
  expect(server.told()).toBe(0);
});

test("a bad keypair at the start is refused, and the pod is ready as long as something valid is served", async () => {
  const stage = await createStage();
  const old = await stage.issue();
  await stage.publish(old);
  await stage.startServer();
  await stage.publish({ ...(await stage.issue()), keyPem: (await stage.issue()).keyPem });
  const agent = await stage.startAgent();
  expect(await untilState(agent, "refused")).toMatchObject({ status: 200 });
  expect(await stage.served()).toBe(old.fingerprint);
});

/** Certificates count in seconds: the next whole one that is at least `leastMs` ahead. */
function soon(leastMs: number): Date {
  return new Date(Math.ceil((Date.now() + leastMs) / 1000) * 1000);
}

test("a keypair that begins in a moment is held, and taken up then without another event", async () => {
  const stage = await createStage();
  const old = await stage.issue();
  await stage.publish(old);
  await stage.startServer();
  const agent = await stage.startAgent(["--watch-interval", "60s"]);
  await untilState(agent, "in-sync");

  const notBefore = soon(1_500);
  const held = await stage.issue({ notBefore });
  await stage.publish(held);
  await untilEvent(agent, "keypair-held");
  expect(await agent.ready()).toMatchObject({ status: 200, text: expect.stringContaining("is held until") });
  expect(await stage.served()).toBe(old.fingerprint);

  const { time } = await untilConfirmed(agent, held);
  expect(await stage.served()).toBe(held.fingerprint);
  expect(Date.parse(String(time))).toBeGreaterThanOrEqual(notBefore.getTime());
});

test("a newer keypair takes the place of one that is held", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  const agent = await stage.startAgent(["--watch-interval", "60s"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue({ notBefore: soon(60_000) }));
  await untilEvent(agent, "keypair-held");

  const newer = await stage.issue();
  await stage.publish(newer);
  await untilConfirmed(agent, newer);
  expect(server.told()).toBe(1);
});
