import { expect, test } from "vitest";
import { createAuthority, type IssuedCertificate } from "../support/certificates.ts";
import { watchGap } from "../support/gap-watch.ts";
import { readManifest } from "../support/manifest.ts";
import { type ManifestPod, startManifestPod } from "../support/manifest-pod.ts";
import type { PodContainer } from "../support/pod-container.ts";
import { superviseRestarts } from "../support/restart-supervisor.ts";
import { until } from "../support/until.ts";

// The webhook of the story: a Go program that loads its pair once, with two hours left of the first one.

const timesFaster = 300;
/** The recipe's own times, 15 and 5 minutes, in the supervisor's faster time. */
const scaled = { "restart-min-interval": "3s", jitter: "1s" };
const hourMs = 3_600_000;

async function startWebhook(): Promise<{
  readonly webhook: ManifestPod;
  readonly server: PodContainer;
  issue(): Promise<IssuedCertificate>;
}> {
  const authority = createAuthority();
  const webhook = await startManifestPod(await readManifest("examples/webhook-restart"));
  const ending = await authority.issue({ names: ["pod.example"], notAfter: new Date(Date.now() + 2 * hourMs) });
  await webhook.pod.publish(ending);
  const server = await webhook.startServer();
  return { webhook, server, issue: () => authority.issue({ names: ["pod.example"] }) };
}

/** Waits until the agent has looked at the server a few more times. */
async function untilProbedAgain({ pod }: ManifestPod, times = 3): Promise<void> {
  const count = async (): Promise<number> => {
    const samples = await pod.samples("certhup_probes_total");
    return samples.reduce((sum, { value }) => sum + value, 0);
  };
  const before = await count();
  await until(count, (probes) => probes >= before + times, { timeoutMs: 20_000 });
}

test("--reload signal is doubted before the first renewal: Go catches SIGHUP whether or not the program reloads", async () => {
  const { webhook, server, issue } = await startWebhook();
  const { pod } = webhook;
  const mask = await server.exec([
    "sh",
    "-c",
    "sed -n 's/^SigCgt:\\s*//p' $(grep -lx legacy-webhook /proc/[0-9]*/comm | sed s/comm/status/)",
  ]);
  expect(BigInt(`0x${mask.output.trim()}`) & 1n, "the bit of SIGHUP").toBe(1n);
  await webhook.startAgent({ reload: "signal" });
  await pod.untilState("in-sync");
  const { preflight } = await until(
    () => pod.status(),
    ({ preflight }) => preflight.length > 0,
  );
  expect(preflight).toMatchObject([
    {
      code: "signal-handler-unknown",
      message: expect.stringMatching(/runs on Go, which catches SIGHUP for every program/),
      hint: expect.stringContaining("--reload restart"),
    },
  ]);

  // What it was warned of: the signal ends the webhook, and only the kubelet's restart brings the new pair.
  await using supervisor = superviseRestarts(server, { timesFaster });
  const renewed = await issue();
  await pod.publish(renewed);
  await pod.untilConfirmed(renewed);
  expect(supervisor.restarts).toEqual([{ status: expect.any(Number), backOffMs: 0 }]);
  expect(supervisor.restarts[0]?.status).not.toBe(0);
});

test("each renewal costs the webhook one restart, which never meets the kubelet's back-off", async () => {
  const { webhook, server, issue } = await startWebhook();
  const { pod } = webhook;
  await using supervisor = superviseRestarts(server, { timesFaster });
  await webhook.startAgent(scaled);
  await pod.untilState("in-sync");
  expect((await pod.status()).preflight.map(({ code }) => code)).not.toContain("signal-handler-unknown");
  const watch = watchGap(webhook.shakeHands);

  for (const count of [1, 2]) {
    const renewed = await issue();
    await pod.publish(renewed);
    await pod.untilConfirmed(renewed);
    expect(supervisor.restarts.length).toBe(count);
  }
  // Two that come while the server is too young for a restart share one.
  const [third, fourth] = [await issue(), await issue()];
  await pod.publish(third);
  await pod.publish(fourth);
  const { readiness } = await pod.untilConfirmed(fourth);

  expect(readiness).toMatchObject({ ready: true, state: "in-sync" });
  await untilProbedAgain(webhook);
  expect(await webhook.shakeHands()).toEqual({ fingerprint: fourth.fingerprint });
  expect(supervisor.restarts).toEqual(Array.from({ length: 3 }, () => ({ status: 143, backOffMs: 0 })));
  expect(supervisor.ends).toBe(3);
  // Clients see each restart's own gap, and nothing else.
  expect((await watch.stop()).gaps).toBe(3);
});

test("renewals faster than the kubelet's back-off forgets still cost one restart each", async () => {
  const { webhook, server, issue } = await startWebhook();
  const { pod } = webhook;
  await using supervisor = superviseRestarts(server, { timesFaster: 30 });
  await webhook.startAgent({ "restart-min-interval": "0s", "min-interval": "0s", jitter: "0s" });
  await pod.untilState("in-sync");

  for (const renewed of [await issue(), await issue(), await issue()]) {
    await pod.publish(renewed);
    await pod.untilConfirmed(renewed);
    expect(await webhook.shakeHands()).toEqual({ fingerprint: renewed.fingerprint });
  }
  await untilProbedAgain(webhook);
  expect(supervisor.restarts.map(({ backOffMs }) => backOffMs)).toEqual([0, 10_000, 20_000]);
  expect(supervisor.ends).toBe(3);
});

test("an agent that is killed and started again at any step causes no second restart", async () => {
  const { webhook, server, issue } = await startWebhook();
  const { pod } = webhook;
  await using supervisor = superviseRestarts(server, { timesFaster });
  const agent = await webhook.startAgent(scaled);
  await pod.untilState("in-sync");
  const kill = async (): Promise<void> => {
    await agent.kill("SIGKILL");
    await agent.ended();
  };
  const untilSettled = async ({ fingerprint }: IssuedCertificate): Promise<void> => {
    await pod.untilState("in-sync");
    await untilProbedAgain(webhook);
    expect(await webhook.shakeHands()).toEqual({ fingerprint });
  };

  // Before it saw the swap.
  const first = await issue();
  await kill();
  await pod.publish(first);
  await agent.start();
  await untilSettled(first);
  expect(supervisor.ends).toBe(1);

  // After the server's end, before its start.
  const second = await issue();
  const { release } = supervisor.hold();
  await pod.publish(second);
  await until(
    () => supervisor.ends,
    (ends) => ends === 2,
    { timeoutMs: 30_000 },
  );
  await kill();
  await agent.start();
  await pod.untilState("unreachable");
  release();
  await untilSettled(second);
  expect(supervisor.ends).toBe(2);

  // After the server's start, before the confirmation.
  const third = await issue();
  await pod.publish(third);
  await until(
    () => supervisor.restarts.length,
    (count) => count === 3,
    { timeoutMs: 30_000 },
  );
  await kill();
  await agent.start();
  await untilSettled(third);
  expect(supervisor.ends).toBe(3);
});
