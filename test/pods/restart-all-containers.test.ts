import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { readManifest } from "../support/manifest.ts";
import { startManifestPod } from "../support/manifest-pod.ts";
import { until } from "../support/until.ts";

/** The recipe's own times, 15 and 5 minutes, 300 times faster. */
const scaled = { "restart-min-interval": "3s", jitter: "1s" };

test("the agent ends with the status of the pod's rule, and finds the new pair served after all have restarted", async () => {
  const authority = createAuthority();
  const [first, renewed] = [
    await authority.issue({ names: ["pod.example"] }),
    await authority.issue({ names: ["pod.example"] }),
  ];
  const { pod, manifest, startServer, startAgent, shakeHands } = await startManifestPod(
    await readManifest("examples/restart-all-containers"),
  );
  await pod.publish(first);
  const [server, agent] = await Promise.all([startServer(), startAgent(scaled)]);
  await pod.untilState("in-sync");

  await pod.publish(renewed);
  const status = await until(
    () => agent.exitStatus(),
    (exitStatus) => exitStatus !== undefined,
    { timeoutMs: 30_000 },
  );
  const rule = manifest.agent.restartPolicyRules?.find(({ exitCodes }) => exitCodes.values.includes(status ?? 0));
  expect(rule?.action).toBe("RestartAllContainers");
  expect(await shakeHands()).toEqual({ fingerprint: first.fingerprint });

  // What the kubelet does by this rule.
  await server.stop();
  await agent.start();
  await server.start();
  const { readiness } = await pod.untilState("in-sync");
  expect(readiness.ready).toBe(true);
  expect(await shakeHands()).toEqual({ fingerprint: renewed.fingerprint });
  await until(
    () => pod.samples("certhup_probes_total", { verdict: "match" }),
    (samples) => samples.some(({ value }) => value >= 6),
  );
  expect(await agent.exitStatus()).toBeUndefined();
});
