import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { startPod } from "../support/pod.ts";

test("a key that does not belong to the certificate is refused, the old pair stays served and the pod ready", async () => {
  const authority = createAuthority();
  const first = await authority.issue({ names: ["pod.example"] });
  const second = await authority.issue({ names: ["pod.example"] });
  const pod = await startPod();
  await pod.publish(first);
  await pod.startNginx();
  const agent = await pod.startAgent();
  await pod.untilState("in-sync");

  await pod.publish({ certificatePem: second.certificatePem, keyPem: first.keyPem });
  const target = await pod.untilState("refused");

  expect(target.readiness.ready).toBe(true);
  expect(target.readiness.reason).toMatch(/key/);
  expect(await pod.ask("/readyz")).toMatchObject({ status: 200, body: expect.stringContaining("default: refused") });
  expect(await pod.shakeHands()).toEqual({ fingerprint: first.fingerprint });
  const refused = (await pod.samples("certhup_keypair_refused_total")).filter(({ value }) => value > 0);
  expect(refused).toMatchObject([
    { labels: { target: "default", reason: expect.stringMatching(/mismatch/) }, value: 1 },
  ]);
  expect(await pod.nginxReloads()).toBe(0);
  expect(await agent.logs()).toContain("keypair-refused");

  await pod.publish(second);
  await pod.untilServed(second);
  await pod.untilConfirmed(second);
  expect(await pod.nginxReloads()).toBe(1);
});
