import { expect, test } from "vitest";
import { sampleOf, untilConfirmed, untilEvent, untilState } from "../support/agent-waits.ts";
import { createStage } from "../support/stage.ts";
import { until } from "../support/until.ts";

const impatient = ["--verify-timeout", "500ms", "--stale-grace", "1500ms"];

test("a server that says it reloads and doesn't is told again, and makes the pod unready after the grace", async () => {
  const stage = await createStage();
  const old = await stage.issue();
  await stage.publish(old);
  const server = await stage.startServer("deaf");
  const agent = await stage.startAgent(impatient);
  await untilState(agent, "in-sync");

  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilState(agent, "rotating")).toMatchObject({ status: 200 });
  const { status, text } = await untilState(agent, "stale");

  expect(status).toBe(503);
  expect(text).toContain(`${stage.endpoint} serves an older certificate than the volume holds`);
  expect(text).toContain("sent SIGHUP");
  expect(await untilEvent(agent, "turned-stale")).toMatchObject({ level: "error", fingerprint: renewed.fingerprint });
  expect((await fetch(`${agent.url}/livez`)).status).toBe(200);
  expect((await fetch(`${agent.url}/startupz`)).status).toBe(200);
  await until(server.told, (times) => times >= 2);
  expect(await stage.served()).toBe(old.fingerprint);
  expect(await sampleOf(agent, "certhup_ready")).toBe(0);
  expect(await sampleOf(agent, "certhup_served_matches_volume")).toBe(0);
  const staleSince = await sampleOf(agent, "certhup_stale_since_timestamp_seconds");
  expect(Math.abs(Date.now() / 1000 - staleSince)).toBeLessThan(60);
  const { targets } = await agent.status();
  expect(targets[0].endpoints).toMatchObject([{ verdict: "stale", served: { fingerprint: old.fingerprint } }]);
});

test("under --ready-policy serving the pod stays ready while the older certificate is valid", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer("deaf");
  const agent = await stage.startAgent([...impatient, "--ready-policy", "serving"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  expect(await untilState(agent, "stale")).toMatchObject({ status: 200 });
});

test("a served certificate that ends makes the pod unready, whatever the ready policy", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue({ notAfter: new Date(Date.now() + 4_000) }));
  await stage.startServer("deaf");
  const agent = await stage.startAgent([...impatient, "--ready-policy", "serving"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  const { status, text } = await untilState(agent, "expired");
  expect({ status, text }).toEqual({ status: 503, text: expect.stringContaining("serves a certificate that ended") });
});

test("a certificate that never was in the volume is foreign, named by subject and issuer", async () => {
  const [stage, other] = [await createStage(), await createStage()];
  await stage.publish(await stage.issue());
  await other.publish(await other.issue({ names: ["other.example"] }));
  await stage.startServer("deaf", other.volume.directory);
  const agent = await stage.startAgent(impatient);
  const { status, text } = await untilState(agent, "foreign");
  expect({ status, text }).toEqual({
    status: 503,
    text: expect.stringContaining("never in the volume: CN=other.example, issued by CN=certhup test authority"),
  });
});

test("a server that goes back to an old certificate later is found by the watchdog, and told", async () => {
  const stage = await createStage();
  const old = await stage.issue();
  await stage.publish(old);
  const server = await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);

  server.kill("SIGUSR2");
  await server.untilOutput(/went back/);
  expect(await stage.served()).toBe(old.fingerprint);

  await untilEvent(agent, "rotation-ended", ({ cause }) => cause === "drift");
  await untilState(agent, "in-sync");
  expect(await stage.served()).toBe(renewed.fingerprint);
  expect(server.told()).toBe(2);
});

test("of two endpoints both must serve the new certificate, and the one that doesn't is named", async () => {
  const [stage, other] = [await createStage(), await createStage()];
  await stage.publish(await stage.issue());
  await stage.startServer();
  await other.startServer("deaf", stage.volume.directory);
  const agent = await stage.startAgent([...impatient, "--endpoint", other.endpoint]);
  await untilState(agent, "in-sync");

  const renewed = await stage.issue();
  await stage.publish(renewed);
  const { status, text } = await untilState(agent, "stale");
  expect(status).toBe(503);
  expect(text).toContain(`default: stale: ${other.endpoint} serves an older certificate`);
  expect(await stage.served()).toBe(renewed.fingerprint);
  expect(await sampleOf(agent, "certhup_served_matches_volume", { endpoint: stage.endpoint })).toBe(1);
  expect(await sampleOf(agent, "certhup_served_matches_volume", { endpoint: other.endpoint })).toBe(0);
});
