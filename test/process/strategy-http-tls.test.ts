import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { untilConfirmed, untilEvent, untilState } from "../support/agent-waits.ts";
import { createAuthority, type IssuedCertificate } from "../support/certificates.ts";
import { startReloadEndpoint } from "../support/reload-endpoint.ts";
import { createStage } from "../support/stage.ts";

/** A stage with a server, and a reload endpoint for it that serves TLS itself: with the pair of the volume, or another. */
async function createSecured(other?: IssuedCertificate) {
  const stage = await createStage();
  const first = await stage.issue();
  await stage.publish(first);
  const server = await stage.startServer();
  const { certificatePem: cert, keyPem: key } = other ?? first;
  const reload = await startReloadEndpoint(
    (_, response) => {
      server.kill("SIGHUP");
      response.end("reloaded");
    },
    { tls: { cert, key } },
  );
  onTestFinished(() => reload[Symbol.asyncDispose]());
  const flags = ["--reload", "http", "--reload-url", `https://127.0.0.1:${reload.port}/-/reload`];
  return { stage, server, reload, flags };
}

test("a reload endpoint that is served with the certificate being rotated is trusted by that certificate", async () => {
  const { stage, reload, flags } = await createSecured();
  const agent = await stage.startAgent(flags);
  await untilState(agent, "in-sync");
  for (let times = 1; times <= 2; times++) {
    // From the second time on it is served with one that was wanted before.
    const renewed = await stage.issue();
    await stage.publish(renewed);
    await untilConfirmed(agent, renewed);
    expect(reload.requests).toHaveLength(times);
  }
});

test("a reload endpoint of a stranger is sent nothing, and a CA file makes it known", async () => {
  const stranger = createAuthority({ name: "stranger" });
  const theirs = await stranger.issue({ names: ["127.0.0.1"] });
  const { stage, server, reload, flags } = await createSecured(theirs);
  const agent = await stage.startAgent(flags);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilEvent(agent, "reload-settled")).toMatchObject({
    outcome: "refused",
    reason: "certificate-not-trusted",
    hint: expect.stringContaining("CA file"),
  });
  expect(reload.requests).toEqual([]);
  expect(server.told()).toBe(0);
  await agent.stop();

  const caFile = join(dirname(stage.volume.directory), "reload-ca.pem");
  await writeFile(caFile, await stranger.caPem());
  const second = await stage.startAgent([...flags, "--reload-ca-file", caFile]);
  await untilConfirmed(second, renewed);
  expect(reload.requests).toHaveLength(1);
});
