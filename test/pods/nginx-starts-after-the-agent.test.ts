import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { startPod } from "../support/pod.ts";

test("an agent that starts before nginx is alive and started, and ready once nginx serves the pair", async () => {
  const authority = createAuthority();
  const pair = await authority.issue({ names: ["pod.example"] });
  const renewed = await authority.issue({ names: ["pod.example"] });
  const pod = await startPod();
  await pod.publish(pair);
  const agent = await pod.startAgent();
  const target = await pod.untilState("unreachable");
  expect(target.readiness.ready).toBe(false);
  expect(await pod.ask("/startupz")).toMatchObject({ status: 200 });
  expect(await pod.ask("/livez")).toMatchObject({ status: 200 });
  expect(await pod.ask("/readyz")).toMatchObject({
    status: 503,
    body: expect.stringContaining("default: unreachable"),
  });
  expect(await pod.samples("certhup_ready", { target: "default" })).toMatchObject([{ value: 0 }]);

  await pod.startNginx();
  await pod.untilServed(pair);
  await pod.untilState("in-sync");
  expect(await pod.ask("/readyz")).toMatchObject({ status: 200 });
  expect(await pod.samples("certhup_served_matches_volume")).toMatchObject([{ value: 1 }]);

  await pod.publish(renewed);
  await pod.untilServed(renewed);
  await pod.untilConfirmed(renewed);
  expect(await agent.exitStatus()).toBeUndefined();
});
