import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { startPod } from "../support/pod.ts";
import { until } from "../support/until.ts";

test("a stopped nginx makes the pod not ready but the agent stays alive, and its return makes it ready", async () => {
  const authority = createAuthority();
  const pair = await authority.issue({ names: ["pod.example"] });
  const pod = await startPod();
  await pod.publish(pair);
  const nginx = await pod.startNginx();
  const agent = await pod.startAgent();
  await pod.untilState("in-sync");

  await nginx.stop();
  const away = await pod.untilState("unreachable");
  expect(away.readiness.ready).toBe(false);
  expect(away.endpoints).toMatchObject([{ verdict: "unreachable" }]);
  expect(await pod.ask("/readyz")).toMatchObject({
    status: 503,
    body: expect.stringContaining("default: unreachable"),
  });
  expect(await pod.ask("/livez")).toMatchObject({ status: 200 });
  expect(await pod.samples("certhup_ready", { target: "default" })).toMatchObject([{ value: 0 }]);
  expect(await agent.exitStatus()).toBeUndefined();

  await nginx.start();
  await pod.untilServed(pair);
  await pod.untilState("in-sync");
  const ready = await until(
    () => pod.ask("/readyz"),
    ({ status }) => status === 200,
  );
  expect(ready.body).toContain("default: in-sync");
  expect(await pod.samples("certhup_served_matches_volume")).toMatchObject([{ value: 1 }]);
  expect(await pod.samples("certhup_ready", { target: "default" })).toMatchObject([{ value: 1 }]);
});
