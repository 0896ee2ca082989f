import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { startPod } from "../support/pod.ts";

const hourMs = 3_600_000;

test("an expired keypair is refused, the valid one stays served and the pod ready", async () => {
  const authority = createAuthority();
  const valid = await authority.issue({ names: ["pod.example"] });
  const expired = await authority.issue({
    names: ["pod.example"],
    notBefore: new Date(Date.now() - 48 * hourMs),
    notAfter: new Date(Date.now() - hourMs),
  });
  const pod = await startPod();
  await pod.publish(valid);
  await pod.startNginx();
  const agent = await pod.startAgent();
  await pod.untilState("in-sync");

  await pod.publish(expired);
  const target = await pod.untilState("refused");

  expect(target.readiness.ready).toBe(true);
  expect(target.readiness.reason).toMatch(/ended/);
  expect(await pod.ask("/readyz")).toMatchObject({ status: 200, body: expect.stringContaining("default: refused") });
  expect(await pod.shakeHands()).toEqual({ fingerprint: valid.fingerprint });
  const refused = (await pod.samples("certhup_keypair_refused_total")).filter(({ value }) => value > 0);
  expect(refused).toMatchObject([
    { labels: { target: "default", reason: expect.stringMatching(/expired/) }, value: 1 },
  ]);
  expect(await pod.nginxReloads()).toBe(0);
  expect(await agent.logs()).toContain("keypair-refused");
});
