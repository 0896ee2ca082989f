import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { readManifest } from "../support/manifest.ts";
import { startManifestPod } from "../support/manifest-pod.ts";
import { until } from "../support/until.ts";

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
  const [server, agent] = await Promise.all([startServer(), startAgent({ jitter: "1s" })]);
  await pod.untilState("in-sync");

  await pod.publish(renewed);
  const status = await agent.ended();
  const rule = manifest.agent.restartPolicyRules?.find(({ exitCodes }) => exitCodes.values.includes(status));
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
