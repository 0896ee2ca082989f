import { chmod } from "node:fs/promises";
import { basename, dirname } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { sampleOf, untilEvent, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import { startProgram } from "../support/child-program.ts";
import { renameIntoPlace } from "../support/plain-volume.ts";
import { createStage } from "../support/stage.ts";

const ordinaryUser = ["setpriv", "--reuid=10001", "--regid=10001", "--clear-groups", "--inh-caps=-all"];

async function createServed(habit?: "legacy") {
  const stage = await createStage();
  await chmod(dirname(stage.volume.directory), 0o755);
  await stage.publish(await stage.issue());
  return { stage, server: await stage.startServer(habit) };
}

test("a server of another user is told at the start with both users, and not first at the renewal", async () => {
  const { stage, server } = await createServed();
  const agent = await stage.startAgent(["--stale-grace", "1s"], {}, ordinaryUser);
  await untilState(agent, "in-sync");
  const finding = await untilEvent(agent, "preflight-finding");
  expect(finding).toMatchObject({ level: "warn", code: "not-permitted", severity: "refuse" });
  expect(finding["message"]).toMatch(new RegExp(`pid ${server.pid}`));
  expect(`${finding["message"]} ${finding["hint"]}`).toMatch(/10001/);
  expect(`${finding["message"]} ${finding["hint"]}`).toMatch(/(uid|user) 0/);
  expect((await agent.status()).targets[0].preflight).toMatchObject([{ code: "not-permitted" }]);

  await stage.publish(await stage.issue());
  await untilState(agent, "stale", /10001/);
  expect(server.told()).toBe(0);
});

test("a server without a handler for the signal is told at the start, and not signalled", async () => {
  const { stage, server } = await createServed("legacy");
  const agent = await stage.startAgent(["--stale-grace", "1s"]);
  await untilState(agent, "in-sync");
  expect(await untilEvent(agent, "preflight-finding")).toMatchObject({
    code: "signal-not-handled",
    hint: expect.stringContaining("restart"),
  });
  await stage.publish(await stage.issue());
  await untilState(agent, "stale", /SIGHUP/);
  expect(await stage.served()).toMatch(/^[0-9a-f]{64}$/);
  process.kill(server.pid, 0);
});

test("--signal-unhandled sends it all the same, which ends the server", async () => {
  const { stage, server } = await createServed("legacy");
  const agent = await stage.startAgent(["--signal-unhandled"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  expect(await server.ended).toBe("SIGHUP");
  await untilState(agent, "unreachable");
});

test("an agent that sees only its own processes says what the pod lacks", async () => {
  const { stage } = await createServed();
  const ownNamespace = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const agent = await stage.startAgent([], {}, ownNamespace);
  await untilState(agent, "in-sync");
  expect(await untilEvent(agent, "preflight-finding")).toMatchObject({
    code: "process-namespace-not-shared",
    hint: expect.stringContaining("shareProcessNamespace: true"),
  });
});

test("what stands in the way of any rung of the ladder is told, each thing once", async () => {
  const { stage } = await createServed("legacy");
  const agent = await stage.startAgent(["--reload", "exec,signal", "--exec", "/no/such/command"]);
  await untilState(agent, "in-sync");
  await untilEvent(agent, "preflight-finding", ({ code }) => code === "signal-not-handled");
  const { preflight } = (await agent.status()).targets[0];
  expect(preflight.map(({ code }: { code: string }) => code)).toEqual(["command-not-started", "signal-not-handled"]);
  expect(await sampleOf(agent, "certhup_preflight_finding", { code: "signal-not-handled" })).toBe(1);
});

test("credentials that can't be read are told at the start, and cleared when they come", async () => {
  const { stage } = await createServed();
  const token = `${stage.volume.directory}.token`;
  const http = ["--reload", "http", "--reload-url", "http://127.0.0.1:9/", "--reload-bearer-file", token];
  const agent = await stage.startAgent(http);
  expect(await untilEvent(agent, "preflight-finding")).toMatchObject({
    code: "credentials-unusable",
    message: expect.stringContaining(token),
  });
  await renameIntoPlace(dirname(token), basename(token), "a-token\n");
  await untilEvent(agent, "preflight-cleared", ({ code }) => code === "credentials-unusable");
});

test("another process in the server's place is found without a renewal or a probe that fails", async () => {
  const { stage } = await createServed();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  await untilLookedAgain(agent);
  expect((await agent.status()).targets[0].preflight).toEqual([]);
  expect(await sampleOf(agent, "certhup_preflight_finding")).toBe(0);

  await using sleeper = await startProgram(["/usr/bin/sleep", "60"], { before: "trap '' HUP" });
  const [, , , pidFile = ""] = stage.target;
  await renameIntoPlace(dirname(pidFile), basename(pidFile), `${sleeper.pid}\n`);
  expect(await untilEvent(agent, "preflight-finding")).toMatchObject({ code: "signal-ignored" });
  expect(await sampleOf(agent, "certhup_preflight_finding", { code: "signal-ignored" })).toBe(1);
});

test("without an endpoint, too, a server that comes late clears what was found before it", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const flags = stage.target.map((flag) => (flag === stage.endpoint ? "none" : flag));
  const agent = await stage.startAgentWith(flags);
  expect(await untilEvent(agent, "preflight-finding")).toMatchObject({
    severity: expect.stringMatching(/hold|refuse/),
  });
  await stage.startServer();
  await untilEvent(agent, "preflight-cleared");
  expect((await agent.status()).targets[0].preflight).toEqual([]);
});
