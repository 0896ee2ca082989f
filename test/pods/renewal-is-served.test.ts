import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { startPod } from "../support/pod.ts";

test("a renewed keypair is served by nginx and confirmed by the agent", async () => {
  const authority = createAuthority();
  const first = await authority.issue({ names: ["pod.example"] });
  const renewed = await authority.issue({ names: ["pod.example"] });
  const pod = await startPod();
  await pod.publish(first);
  await pod.startNginx();
  const agent = await pod.startAgent();
  await pod.untilState("in-sync");
  expect(await pod.shakeHands()).toEqual({ fingerprint: first.fingerprint });
  expect(await pod.nginxReloads()).toBe(0);

  await pod.publish(renewed);
  await pod.untilServed(renewed);
  const target = await pod.untilConfirmed(renewed);

  expect(target.readiness).toMatchObject({ ready: true, state: "in-sync" });
  expect(target.endpoints).toMatchObject([{ verdict: "match", served: { fingerprint: renewed.fingerprint } }]);
  const handshakes = await Promise.all(Array.from({ length: 10 }, () => pod.shakeHands()));
  expect(new Set(handshakes.map((handshake) => JSON.stringify(handshake)))).toEqual(
    new Set([JSON.stringify({ fingerprint: renewed.fingerprint })]),
  );
  expect(await pod.ask("/readyz")).toMatchObject({ status: 200, body: expect.stringContaining("default: in-sync") });
  expect(await pod.samples("certhup_served_matches_volume")).toMatchObject([{ value: 1 }]);
  expect(await pod.samples("certhup_ready", { target: "default" })).toMatchObject([{ value: 1 }]);
  expect(await pod.samples("certhup_rotations_total", { outcome: "confirmed" })).toMatchObject([{ value: 1 }]);
  expect(await pod.samples("certhup_reloads_total", { strategy: "signal", outcome: "accepted" })).toMatchObject([
    { value: 1 },
  ]);
  expect(await pod.nginxReloads()).toBe(1);
  expect(await agent.logs()).toContain(renewed.fingerprint);
});
