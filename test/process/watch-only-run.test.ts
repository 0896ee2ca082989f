import { expect, onTestFinished, test } from "vitest";
import { sampleOf, untilEvent, untilState } from "../support/agent-waits.ts";
import { createAuthority } from "../support/certificates.ts";
import { startOddServer } from "../support/odd-server.ts";
import { certhup, createStage, startStagedAgent } from "../support/stage.ts";
import { startAgentFor, targetOf, untilTarget } from "../support/staged-targets.ts";
import { startTlsServer } from "../support/tls-server.ts";
import { until } from "../support/until.ts";

const authority = createAuthority();
const dayMs = 86_400_000;
const quick = ["--verify-interval", "300ms", "--log-level", "debug"];

async function serve(daysLeft: number, port?: number) {
  const pair = await authority.issue({
    names: ["www.example"],
    notBefore: new Date(Date.now() - 90 * dayMs),
    notAfter: new Date(Date.now() + daysLeft * dayMs),
  });
  const server = await startTlsServer(pair, port === undefined ? {} : { port });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { ...server, pair };
}

/** The days that are left of what is served, as an alert rule works them out. */
async function daysLeft(agent: Parameters<typeof sampleOf>[0], endpoint: string): Promise<number> {
  const labels = { endpoint, source: "served" };
  const notAfter = await sampleOf(agent, "certhup_certificate_not_after_timestamp_seconds", labels);
  return (notAfter - Date.now() / 1000) / 86_400;
}

test("endpoints without a volume are watched, and their ends told so that an alert can fire weeks ahead", async () => {
  const [fresh, soon] = [await serve(60), await serve(20)];
  const endpoints = ["--endpoint", fresh.address, "--endpoint", soon.address];
  const agent = await startStagedAgent(["--watch-only", ...endpoints, ...quick]);
  expect(await untilState(agent, "watching", /valid, 1\dd/)).toMatchObject({ status: 200 });

  expect(await daysLeft(agent, fresh.address)).toBeCloseTo(60, 1);
  expect(await daysLeft(agent, soon.address)).toBeCloseTo(20, 1);
  const metrics = await agent.metrics();
  expect(metrics).not.toMatch(/^certhup_served_matches_volume\{/m);
  expect(metrics).toMatch(new RegExp(`^certhup_certificate_info\\{.*${soon.pair.fingerprint}.*\\} 1$`, "m"));
  expect((await agent.status()).targets[0].endpoints).toMatchObject([
    { endpoint: fresh.address, verdict: "valid", served: { daysLeft: 59 } },
    { endpoint: soon.address, verdict: "valid", served: { daysLeft: 19 } },
  ]);
  expect(agent.events("rotation-begun")).toEqual([]);
});

test("a watched server that gets a new certificate is seen with it, by handshakes alone", async () => {
  const old = await serve(5);
  const agent = await startStagedAgent(["--watch-only", "--endpoint", old.address, ...quick]);
  await untilState(agent, "watching");
  await old[Symbol.asyncDispose]();
  expect(await untilState(agent, "unreachable")).toMatchObject({ status: 503 });
  const renewed = await serve(90, old.port);
  await untilState(agent, "watching", /8\dd|90d/);
  await until(
    () => daysLeft(agent, old.address),
    (days) => days > 89,
  );
  expect(await untilEvent(agent, "verdict-changed", ({ verdict }) => verdict === "valid")).toMatchObject({
    fingerprint: renewed.pair.fingerprint,
  });
});

test("an expired certificate makes a watched target unready, and is counted", async () => {
  const { address } = await serve(-1);
  const agent = await startStagedAgent(["--watch-only", "--endpoint", address, ...quick]);
  expect(await untilState(agent, "expired", /ended/)).toMatchObject({ status: 503 });
  expect(await sampleOf(agent, "certhup_probes_total", { verdict: "expired" })).toBeGreaterThan(0);
  expect(await daysLeft(agent, address)).toBeLessThan(0);
});

test("a hostile endpoint holds up no other watched one", async () => {
  const { address } = await serve(30);
  const flood = await startOddServer((socket) => {
    const pour = (): void =>
      void (socket.destroyed || socket.write(Buffer.alloc(65_536, "x"), () => setImmediate(pour)));
    pour();
  });
  const silent = await startOddServer(() => undefined);
  onTestFinished(async () => {
    await flood[Symbol.asyncDispose]();
    await silent[Symbol.asyncDispose]();
  });
  const agent = await startAgentFor([
    { name: "good", watchOnly: true, endpoint: address, verifyInterval: "300ms" },
    {
      name: "bad",
      watchOnly: true,
      endpoint: [flood.address, silent.address],
      probeTimeout: "1s",
      verifyInterval: "1s",
    },
  ]);
  await untilTarget(agent, "good", "watching");
  await untilTarget(agent, "bad", "unreachable");
  const before = await sampleOf(agent, "certhup_probes_total", { target: "good", verdict: "valid" });
  await until(
    () => sampleOf(agent, "certhup_probes_total", { target: "good", verdict: "valid" }),
    (count) => count >= before + 5,
  );
  expect(agent.events("fault")).toEqual([]);
});

test("a target with a volume and one without are kept in one agent", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const { address } = await serve(30);
  const agent = await startAgentFor([
    targetOf(stage, { name: "kept" }),
    { name: "watched", watchOnly: true, endpoint: address, verifyInterval: "300ms" },
  ]);
  await untilTarget(agent, "kept", "in-sync");
  await untilTarget(agent, "watched", "watching");
  expect(await agent.ready()).toMatchObject({ status: 200 });
  expect(await sampleOf(agent, "certhup_served_matches_volume", { target: "kept" })).toBe(1);
});

test("watching alone is never what is left of a forgotten flag", async () => {
  const forgotten = await certhup(["run", "--endpoint", "127.0.0.1:8443", "--process-name", "nginx"]);
  expect(forgotten).toMatchObject({ status: 2, output: expect.stringMatching(/--cert-dir.*\n.*--watch-only/) });
  const both = await certhup(["run", "--watch-only", "--cert-dir", "/etc/tls", "--endpoint", "127.0.0.1:8443"]);
  expect(both).toMatchObject({ status: 2, output: expect.stringContaining("--watch-only: is given beside a volume") });
  const nothing = await certhup(["run", "--watch-only"]);
  expect(nothing).toMatchObject({ status: 2, output: expect.stringContaining("--endpoint") });
});
