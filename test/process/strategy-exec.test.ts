import { chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { untilConfirmed, untilEvent, untilState } from "../support/agent-waits.ts";
import { createStage, type Stage, startStagedAgent } from "../support/stage.ts";
import { until } from "../support/until.ts";

/** A stage whose server has loaded the pair in the volume, and a script that is run to reload it. */
async function createScripted(script: string) {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const server = await stage.startServer();
  return { stage, server, path: await writeScript(stage, script) };
}

/** In the script `$PID_FILE` is the server's pid file. */
async function writeScript(stage: Stage, script: string): Promise<string> {
  const [, , , pidFile = ""] = stage.target;
  const path = join(dirname(stage.volume.directory), "reload it.sh");
  await writeFile(path, `#!/bin/sh\nPID_FILE=${pidFile}\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

const tellServer = 'kill -HUP "$(cat "$PID_FILE")"';

test("a command is run to tell the server, and the renewal is served", async () => {
  const { stage, server, path } = await createScripted(`${tellServer}; echo told "$@"`);
  const agent = await stage.startAgent(["--reload", "exec", "--exec", `"${path}" one 'two words'`]);
  await untilState(agent, "in-sync");
  expect(server.told()).toBe(0);
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 1 });
  expect(server.told()).toBe(1);
  expect((await agent.status()).targets[0].lastReload).toMatchObject({
    strategy: "exec",
    outcome: "accepted",
    detail: expect.stringContaining("told one two words"),
  });
});

test("a command may be named by the environment, as a JSON array", async () => {
  const { stage, server, path } = await createScripted(tellServer);
  const [, certDir = "", , , , endpoint = ""] = stage.target;
  const agent = await startStagedAgent([], {
    CERTHUP_CERT_DIR: certDir,
    CERTHUP_ENDPOINT: endpoint,
    CERTHUP_RELOAD: "exec",
    CERTHUP_EXEC: JSON.stringify([path]),
    CERTHUP_LISTEN_ADDRESS: "127.0.0.1:0",
  });
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect(server.told()).toBe(1);
});

test("a command that fails is told with its status and output, and tried again", async () => {
  const { stage, server, path } = await createScripted("echo 'cannot reload: \x1b[31mno socket' >&2; exit 3");
  const agent = await stage.startAgent(["--reload", "exec", "--exec", JSON.stringify([path])]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilState(agent, "rotating", /status 3/);
  const { lastReload, work } = (await agent.status()).targets[0];
  expect(lastReload).toMatchObject({
    outcome: "refused",
    reason: "command-failed",
    detail: expect.stringMatching(/ended with status 3: cannot reload: .*no socket/),
  });
  expect(lastReload.detail).not.toContain("\x1b");
  expect(work.kind).toMatch(/backing-off|reloading/);

  await writeScript(stage, tellServer);
  await untilConfirmed(agent, renewed);
  expect(server.told()).toBe(1);
});

test("a command that runs for too long is ended with all that it started", async () => {
  const { stage, path } = await createScripted('sleep 600 & echo $! > "$PID_FILE.child"; sleep 600');
  const agent = await stage.startAgent([
    ...["--reload", "exec", "--exec", JSON.stringify([path]), "--reload-timeout", "400ms"],
  ]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  expect(await untilEvent(agent, "reload-settled")).toMatchObject({ outcome: "timed-out" });
  expect((await agent.status()).targets[0].lastReload).toMatchObject({
    outcome: "timed-out",
    detail: expect.stringMatching(/no answer within \d+ ms/),
  });
  const [, , , pidFile = ""] = stage.target;
  const child = Number(await readFile(`${pidFile}.child`, "utf8"));
  await until(
    () => readFile(`/proc/${child}/cmdline`, "utf8").catch(() => ""),
    (commandLine) => !commandLine.startsWith("sleep"),
    { what: "the command's child to be gone" },
  );
});

test("a command that isn't there is told at the start, long before it is needed", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const agent = await stage.startAgent(["--reload", "exec", "--exec", "/no/such/command --now"]);
  expect(await untilEvent(agent, "preflight-finding")).toMatchObject({
    code: "command-not-started",
    message: expect.stringContaining("/no/such/command"),
  });
  await untilState(agent, "in-sync");
  expect((await agent.status()).targets[0].preflight).toMatchObject([{ code: "command-not-started" }]);
});

test("an agent that is told to stop ends the command that runs, and itself within a second", async () => {
  const { stage, path } = await createScripted('echo $$ > "$PID_FILE.child"; exec sleep 600');
  const agent = await stage.startAgent([
    "--reload",
    "exec",
    "--exec",
    JSON.stringify([path]),
    "--reload-timeout",
    "60s",
  ]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  const [, , , pidFile = ""] = stage.target;
  const child = Number(
    await until(
      () => readFile(`${pidFile}.child`, "utf8"),
      (text) => /\d/.test(text),
    ),
  );
  const askedMs = performance.now();
  agent.kill("SIGTERM");
  expect(await agent.ended).toBe(0);
  expect(performance.now() - askedMs).toBeLessThan(1_500);
  await until(
    () => readFile(`/proc/${child}/cmdline`, "utf8").catch(() => ""),
    (commandLine) => !commandLine.startsWith("sleep"),
    { what: "the command to be gone" },
  );
});

test("a command gets the environment that the agent was started with, and nothing of the agent's own making", async () => {
  const { stage, path } = await createScripted(`${tellServer}; env | grep -E '^(RELOAD|RES|UV)_'`);
  const agent = await stage.startAgent(["--reload", "exec", "--exec", `"${path}"`], { RELOAD_TOKEN: "from the pod" });
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  const { detail } = (await agent.status()).targets[0].lastReload;
  expect(detail).toMatch(/: RELOAD_TOKEN=from the pod$/);
});
