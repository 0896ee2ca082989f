import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { startPod } from "../support/pod.ts";

test("an agent that was away during a swap has the new pair served once it is back, and only once", async () => {
  const authority = createAuthority();
  const first = await authority.issue({ names: ["pod.example"] });
  const renewed = await authority.issue({ names: ["pod.example"] });
  const pod = await startPod();
  await pod.publish(first);
  await pod.startNginx();
  const agent = await pod.startAgent();
  await pod.untilState("in-sync");

  await agent.stop();
  expect(await agent.exitStatus()).toBe(0);
  await pod.publish(renewed);
  expect(await pod.shakeHands()).toEqual({ fingerprint: first.fingerprint });

  await agent.start();
  await pod.untilServed(renewed);
  const target = await pod.untilConfirmed(renewed);
  expect(target.readiness).toMatchObject({ ready: true, state: "in-sync" });
  expect(await pod.ask("/readyz")).toMatchObject({ status: 200 });
  expect(await pod.samples("certhup_rotations_total", { outcome: "confirmed" })).toMatchObject([{ value: 1 }]);
  expect(await pod.nginxReloads()).toBe(1);

  await agent.stop();
  await agent.start();
  await pod.untilState("in-sync");
  expect(await pod.samples("certhup_served_matches_volume")).toMatchObject([{ value: 1 }]);
  expect(await pod.nginxReloads()).toBe(1);
});
