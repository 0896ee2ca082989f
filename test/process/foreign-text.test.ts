import { expect, test } from "vitest";
import { untilConfirmed } from "../support/agent-waits.ts";
import { certhup, createStage, type Stage } from "../support/stage.ts";

/** A name that turns the reading direction, clears an old terminal and hides a character. */
const hostileName = "gpj\u202eexe\u009b2J\u200b.example";
const escapedName = "gpj\\u202eexe\\u009b2J\\u200b.example";

/** Everything but a line end that could act on who reads it. */
const acting = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/u;

async function serveHostileName(): Promise<Stage> {
  const stage = await createStage();
  await stage.publish(await stage.issue({ commonName: hostileName }));
  await stage.startServer();
  return stage;
}

test("check and probe write what acts on a terminal as escapes into their JSON, which reads back as it was", async () => {
  const stage = await serveHostileName();
  const endpoint = ["--endpoint", stage.endpoint];
  const checked = await certhup(["check", "--cert-dir", stage.volume.directory, ...endpoint, "--output", "json"]);
  const probed = await certhup(["probe", "--output", "json", stage.endpoint]);
  for (const { standardOutput } of [checked, probed]) {
    expect(standardOutput).toContain(escapedName);
    expect(standardOutput).not.toMatch(acting);
  }
  const subject = `CN=${hostileName}`;
  expect(JSON.parse(checked.standardOutput)).toMatchObject({ targets: [{ endpoints: [{ served: { subject } }] }] });
  expect(JSON.parse(probed.standardOutput)).toMatchObject({ endpoints: [{ served: { subject } }] });
});

test("the status document and the log hold nothing that acts on a terminal", async () => {
  const stage = await serveHostileName();
  const pair = await stage.issue({ commonName: hostileName });
  const agent = await stage.startAgent();
  await stage.publish(pair);
  await untilConfirmed(agent, pair);
  const status = await (await fetch(`${agent.url}/status`)).text();
  expect(status).toContain(escapedName);
  expect(status).not.toMatch(acting);
  expect(agent.output()).not.toMatch(acting);
});
