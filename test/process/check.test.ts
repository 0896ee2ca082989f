import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import type { CommandResult } from "../support/agent.ts";
import { certhup, createStage, type Stage } from "../support/stage.ts";

/** `certhup check` for volume and server of the stage; the process doesn't matter to it. */
function check(stage: Stage, flags: readonly string[] = []): Promise<CommandResult> {
  const [certDirFlag = "", certDir = "", , , endpointFlag = "", endpoint = ""] = stage.target;
  return certhup(["check", certDirFlag, certDir, endpointFlag, endpoint, ...flags]);
}

async function checkAsJson(stage: Stage) {
  const { status, standardOutput, standardError } = await check(stage, ["--output", "json"]);
  const { match, targets } = JSON.parse(standardOutput);
  return { status, standardError, match, targets };
}

test("the certificate in the volume served: a table for people, and status 0", async () => {
  const stage = await createStage();
  const pair = await stage.issue();
  await stage.publish(pair);
  await stage.startServer();
  const { status, standardOutput, standardError } = await check(stage);
  expect({ status, standardError }).toEqual({ status: 0, standardError: "" });
  expect(standardOutput).toContain(pair.fingerprint.slice(0, 16));
  expect(standardOutput).toMatch(new RegExp(`${stage.endpoint} +match `));
  expect(standardOutput).toContain("the served certificate is the one in the volume\n");
});

test("an older certificate served: status 1, and what is served", async () => {
  const stage = await createStage();
  const old = await stage.issue();
  await stage.publish(old);
  await stage.startServer();
  const renewed = await stage.issue();
  await stage.publish(renewed);
  const { status, standardOutput } = await check(stage);
  expect(status).toBe(1);
  expect(standardOutput).toMatch(new RegExp(`${stage.endpoint} +stale +${old.fingerprint.slice(0, 16)}`));
  expect(standardOutput).toContain(renewed.fingerprint.slice(0, 16));
  expect(standardOutput).toContain("the served certificate is not the one in the volume\n");
});

test("nothing served: status 1, and why", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const { status, standardOutput } = await check(stage);
  expect(status).toBe(1);
  expect(standardOutput).toMatch(new RegExp(`${stage.endpoint} +unreachable `));
});

test("an expired certificate served: status 1, though the volume holds the same", async () => {
  const stage = await createStage();
  const dayMs = 86_400_000;
  await stage.publish(
    await stage.issue({ notBefore: new Date(Date.now() - 9 * dayMs), notAfter: new Date(Date.now() - dayMs) }),
  );
  await stage.startServer();
  const { status, standardOutput } = await check(stage);
  expect(status).toBe(1);
  expect(standardOutput).toMatch(new RegExp(`${stage.endpoint} +expired `));
  expect(standardOutput).toMatch(/refuse: the leaf ended at/);
});

test("a foreign certificate served: status 1, named by its subject", async () => {
  const [stage, other] = [await createStage(), await createStage()];
  await stage.publish(await stage.issue());
  await other.publish(await other.issue({ names: ["other.example"] }));
  await stage.startServer(undefined, other.volume.directory);
  const { status, standardOutput } = await check(stage);
  expect(status).toBe(1);
  expect(standardOutput).toMatch(new RegExp(`${stage.endpoint} +foreign .*CN=other.example`));
});

test("a volume that isn't there: status 1, what to do, and what is served all the same", async () => {
  const stage = await createStage();
  const pair = await stage.issue();
  await stage.publish(pair);
  await stage.startServer();
  await rm(stage.volume.directory, { recursive: true });
  const { status, standardOutput } = await check(stage);
  expect(status).toBe(1);
  expect(standardOutput).toContain("there is no certificate in the volume to compare with");
  expect(standardOutput).toContain(`there is no directory ${stage.volume.directory}`);
  expect(standardOutput).toContain(pair.fingerprint.slice(0, 16));
});

test("a bad keypair in the volume: status 1 and the finding, even where its certificate is served", async () => {
  const stage = await createStage();
  const pair = await stage.issue();
  await stage.publish(pair);
  await stage.startServer();
  await stage.publish({ certificatePem: pair.certificatePem, keyPem: (await stage.issue()).keyPem });
  expect(await checkAsJson(stage)).toMatchObject({
    status: 1,
    match: false,
    targets: [
      {
        match: false,
        volume: { state: "refused", findings: [{ code: "key-mismatch", severity: "refuse" }] },
        endpoints: [{ verdict: "match" }],
      },
    ],
  });
});

test("--output json tells everything for scripts", async () => {
  const stage = await createStage();
  const pair = await stage.issue();
  const generation = await stage.publish(pair);
  await stage.startServer();
  expect(await checkAsJson(stage)).toMatchObject({
    status: 0,
    standardError: "",
    match: true,
    targets: [
      {
        name: "default",
        match: true,
        volume: {
          state: "accepted",
          generation,
          findings: [],
          certificate: { fingerprint: pair.fingerprint, names: ["stage.example"] },
        },
        endpoints: [
          {
            endpoint: stage.endpoint,
            verdict: "match",
            served: { fingerprint: pair.fingerprint, notAfter: expect.stringMatching(/^[\d-]{10}T[\d:]{8}Z$/) },
          },
        ],
      },
    ],
  });
});

test("--output json tells of an endpoint without an answer why", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  expect(await checkAsJson(stage)).toMatchObject({
    status: 1,
    match: false,
    targets: [{ endpoints: [{ verdict: "unreachable", reason: "connection-refused" }] }],
  });
});

test("without an endpoint there is nothing to check: status 2", async () => {
  const { status, standardError } = await certhup(["check", "--cert-dir", "/etc/tls", "--endpoint", "none"]);
  expect(status).toBe(2);
  expect(standardError).toContain("no endpoint to check");
});
