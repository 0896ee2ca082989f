import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { certhup, createStage, type Stage } from "../support/stage.ts";
import { targetOf, writeConfigFile } from "../support/staged-targets.ts";

async function createServed(): Promise<Stage> {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  return stage;
}

test("check answers for every target of a file, and 0 only if all are served", async () => {
  const [one, two] = [await createServed(), await createServed()];
  const path = await writeConfigFile([targetOf(one, { name: "one" }), targetOf(two, { name: "two" })]);
  const good = await certhup(["check", "--config", path]);
  expect(good).toMatchObject({ status: 0, standardError: "" });
  expect(good.standardOutput).toMatch(new RegExp(`one .*${one.endpoint} +match [^]*two .*${two.endpoint} +match `));

  await two.publish(await two.issue());
  const { status, standardOutput } = await certhup(["check", "--config", path, "--output", "json"]);
  const { match, targets } = JSON.parse(standardOutput);
  expect({ status, match, targets }).toMatchObject({
    status: 1,
    match: false,
    targets: [
      { name: "one", match: true, endpoints: [{ verdict: "match" }] },
      { name: "two", match: false, endpoints: [{ verdict: "stale" }] },
    ],
  });
});

test("check reads the file that the agent runs with, its reload settings and watch-only targets included", async () => {
  const [kept, watched] = [await createServed(), await createServed()];
  const path = await writeConfigFile([
    targetOf(kept, { name: "kept", reload: "signal,restart", restartMinInterval: "1h", staleGrace: "1s" }),
    { name: "watched", watchOnly: true, endpoint: watched.endpoint },
  ]);
  const { status, standardOutput, standardError } = await certhup(["check", "--config", path, "--output", "json"]);
  expect({ status, standardError }).toEqual({ status: 0, standardError: "" });
  expect(JSON.parse(standardOutput).targets).toMatchObject([
    { name: "kept", match: true },
    { name: "watched", endpoints: [{ verdict: "valid" }] },
  ]);
});

test("two targets of one name are refused by check as by run", async () => {
  const path = await writeConfigFile([
    targetOf(await createServed(), { name: "same" }),
    targetOf(await createServed(), { name: "same" }),
  ]);
  for (const command of ["check", "run"]) {
    const { status, standardError } = await certhup([command, "--config", path]);
    expect({ status, standardError }).toMatchObject({ status: 2 });
    expect(standardError).toContain("is the name of several targets");
  }
});

test("a target without an endpoint is named as not checked", async () => {
  const [kept, blind] = [await createServed(), await createServed()];
  const path = await writeConfigFile([
    targetOf(kept, { name: "kept" }),
    targetOf(blind, { name: "blind", endpoint: "none" }),
  ]);
  const table = await certhup(["check", "--config", path]);
  expect(table).toMatchObject({ status: 0, standardError: "" });
  expect(table.standardOutput).toContain("blind: not checked, as it has no endpoint");
  const json = await certhup(["check", "--config", path, "--output", "json"]);
  expect(JSON.parse(json.standardOutput)).toMatchObject({ match: true, unchecked: ["blind"] });
});

test("what is wrong with a file of several targets is told at once, with path and line", async () => {
  const stage = await createStage();
  const path = await writeConfigFile([]);
  await writeFile(
    path,
    [
      "targets:",
      "  - name: one",
      "    certDirr: /etc/tls",
      "    endpoint: 127.0.0.1:8443",
      "  - name: one",
      "    certDir: /etc/tls",
    ].join("\n"),
  );
  const { status, standardOutput, standardError } = await certhup([
    "check",
    "--config",
    path,
    "--cert-dir",
    stage.endpoint,
  ]);
  expect({ status, standardOutput }).toEqual({ status: 2, standardOutput: "" });
  expect(standardError).toContain(
    "error: targets[0].certDirr (line 3): there is no such setting\nhint: did you mean certDir?",
  );
  expect(standardError).toContain("error: targets[0].certDir: is required");
  expect(standardError).toContain("error: targets[1].endpoint: is required");
  expect(standardError).toContain("error: --cert-dir: is for one target, but the file has 2");
});

test("check of watch-only targets alone tells what they serve, and an expired or silent one is a problem", async () => {
  const [valid, away] = [await createServed(), await createStage()];
  const good = await writeConfigFile([{ name: "good", watchOnly: true, endpoint: valid.endpoint }]);
  const fine = await certhup(["check", "--config", good]);
  expect(fine.status).toBe(0);
  expect(fine.standardOutput).toMatch(new RegExp(`good +${valid.endpoint} +valid `));
  expect(fine.standardOutput).toContain("what is served is valid; there is no volume to compare it with\n");

  const bad = await writeConfigFile([
    { name: "good", watchOnly: true, endpoint: valid.endpoint },
    { name: "away", watchOnly: true, endpoint: away.endpoint },
  ]);
  const { status, standardOutput } = await certhup(["check", "--config", bad]);
  expect(status).toBe(1);
  expect(standardOutput).toContain("away: not every endpoint shows a certificate\n");
});

test("check of localhost looks at both addresses, and one of them with another certificate is no match", async () => {
  const stage = await createServed();
  const other = await createStage();
  const notAfter = new Date(Date.now() + 300 * 86_400_000);
  await other.publish(await other.issue({ notAfter }));
  await stage.startServer(undefined, other.volume.directory, { host: "::1" });
  const endpoint = `localhost:${stage.endpoint.split(":").at(-1)}`;
  const path = await writeConfigFile([targetOf(stage, { name: "both", endpoint })]);
  const { status, standardOutput } = await certhup(["check", "--config", path, "--output", "json"]);
  expect(status).toBe(1);
  expect(JSON.parse(standardOutput)).toMatchObject({ match: false, targets: [{ endpoints: [{ verdict: "stale" }] }] });
  const { standardOutput: table } = await certhup(["check", "--config", path]);
  expect(table).toMatch(new RegExp(`${endpoint} +stale .*\\n.*${endpoint} +beside it `));
});
