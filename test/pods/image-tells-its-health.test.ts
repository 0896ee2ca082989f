import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { startPod } from "../support/pod.ts";

test("the image runs as nobody special, has no shell, and its own health check follows the readiness", async () => {
  const pair = await createAuthority().issue({ names: ["pod.example"] });
  const pod = await startPod();
  await pod.publish(pair);
  const agent = await pod.startAgent();
  await pod.untilState("unreachable");
  const { user, health } = await agent.image();
  const [form, ...command] = health;
  expect({ user, form }).toEqual({ user: "65532:65532", form: "CMD" });

  expect(await agent.exec(command)).toMatchObject({ status: 1, output: expect.stringContaining("unreachable") });
  await pod.startNginx();
  await pod.untilState("in-sync");
  expect(await agent.exec(command)).toMatchObject({ status: 0, output: expect.stringContaining("in-sync") });
  expect((await agent.exec(["sh", "-c", "true"])).status).not.toBe(0);
});
