import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import type { RunningAgent } from "../support/agent.ts";
import { sampleOf, untilConfirmed, untilEvent, untilState } from "../support/agent-waits.ts";
import { type EndpointOptions, type ReloadEndpoint, startReloadEndpoint } from "../support/reload-endpoint.ts";
import { createStage, type Stage, type StagedServer, startStagedAgent } from "../support/stage.ts";
import { until } from "../support/until.ts";

type Answer = Parameters<typeof startReloadEndpoint>[0];

interface Staged {
  readonly stage: Stage;
  readonly server: StagedServer;
  readonly reload: ReloadEndpoint;
  readonly flags: readonly string[];
}

/** A server that is reloaded by an HTTP endpoint, which answers as told. */
async function createReloadable(
  answer: (server: StagedServer) => Answer,
  options: EndpointOptions = {},
  notAfter?: Date,
): Promise<Staged> {
  const stage = await createStage();
  await stage.publish(await stage.issue(notAfter === undefined ? {} : { notAfter }));
  const server = await stage.startServer();
  const reload = await startReloadEndpoint(answer(server), options);
  onTestFinished(() => reload[Symbol.asyncDispose]());
  const url = `http://127.0.0.1:${reload.port}/-/reload`;
  return { stage, server, reload, flags: ["--reload", "http", "--reload-url", url] };
}

const reloads =
  (server: StagedServer): Answer =>
  (_, response) => {
    server.kill("SIGHUP");
    response.end("reloaded");
  };

async function lastReloadOf(agent: RunningAgent) {
  return (await agent.status()).targets[0].lastReload;
}

test("an HTTP endpoint is asked to reload, and the renewal is served", async () => {
  const { stage, reload, flags } = await createReloadable(reloads);
  const agent = await stage.startAgent(flags);
  await untilState(agent, "in-sync");
  expect(reload.requests).toEqual([]);
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 1 });
  expect(reload.requests.map(({ method, path }) => [method, path])).toEqual([["POST", "/-/reload"]]);
});

test("an agent that is configured by its environment alone sends method, headers, body and credentials", async () => {
  const { stage, reload } = await createReloadable(reloads);
  const basic = join(dirname(stage.volume.directory), "basic");
  await writeFile(basic, "ops:s3cret\n");
  const [, certDir = "", , , , endpoint = ""] = stage.target;
  const agent = await startStagedAgent([], {
    CERTHUP_CERT_DIR: certDir,
    CERTHUP_ENDPOINT: endpoint,
    CERTHUP_RELOAD: "http",
    CERTHUP_RELOAD_URL: `http://127.0.0.1:${reload.port}/admin?do=reload`,
    CERTHUP_RELOAD_METHOD: "PUT",
    CERTHUP_RELOAD_HEADER: "X-One: 1, 2\nX-Two: two words",
    CERTHUP_RELOAD_BODY: '{"tls":true}',
    CERTHUP_RELOAD_BASIC_PATH: basic,
    CERTHUP_LISTEN_ADDRESS: "127.0.0.1:0",
  });
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect(reload.requests).toMatchObject([
    {
      method: "PUT",
      path: "/admin?do=reload",
      headers: {
        "x-one": "1, 2",
        "x-two": "two words",
        authorization: `Basic ${Buffer.from("ops:s3cret").toString("base64")}`,
      },
      body: '{"tls":true}',
    },
  ]);
});

const wantsToken =
  (server: StagedServer): Answer =>
  (request, response) => {
    if (request.headers.authorization === "Bearer good") return reloads(server)(request, response);
    response.writeHead(401).end("who are you?");
  };

test("an endpoint that turns the token down is left alone for long, and the next renewal tries at once", async () => {
  const { stage, reload, flags } = await createReloadable(wantsToken);
  const token = join(dirname(stage.volume.directory), "token");
  await writeFile(token, "old\n");
  const agent = await stage.startAgent([...flags, "--reload-bearer-file", token]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());

  expect(await untilEvent(agent, "reload-settled")).toMatchObject({ outcome: "refused", reason: "client-error" });
  expect(await lastReloadOf(agent)).toMatchObject({ detail: expect.stringMatching(/401.*who are you\?/) });
  const { work } = (await agent.status()).targets[0];
  expect(work.kind).toBe("backing-off");
  expect(work.retryInMs).toBeGreaterThan(30_000);
  expect(reload.requests).toHaveLength(1);

  await writeFile(token, "good\n");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect(reload.requests).toHaveLength(2);
  expect(await sampleOf(agent, "certhup_reloads_total", { strategy: "http", outcome: "refused" })).toBe(1);
});

test("the token file is read again for each try, and a certificate that ends soon makes the tries quicker", async () => {
  const { stage, flags } = await createReloadable(wantsToken, {}, new Date(Date.now() + 40_000));
  const token = join(dirname(stage.volume.directory), "token");
  await writeFile(token, "old\n");
  const agent = await stage.startAgent([...flags, "--reload-bearer-file", token]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilEvent(agent, "reload-settled");
  await writeFile(token, "good\n");
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ cause: "renewal" });
});

test("a redirect is reported with its target, and not followed", async () => {
  const { stage, reload, server, flags } = await createReloadable(() => (_, response) => {
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const agent = await stage.startAgent(flags);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  await untilEvent(agent, "reload-settled");
  expect(await lastReloadOf(agent)).toMatchObject({
    outcome: "refused",
    reason: "redirected",
    detail: expect.stringContaining("/elsewhere"),
  });
  expect(reload.requests.map(({ path }) => path)).toEqual(["/-/reload"]);
  expect(server.told()).toBe(0);
});

test("a Unix socket is asked as well", async () => {
  const directory = join("/tmp", `certhup-${process.pid}-${performance.now()}.sock`);
  const { stage, reload } = await createReloadable(reloads, { listen: { path: directory } });
  const agent = await stage.startAgent([
    ...["--reload", "http", "--reload-url", "http://server/reload", "--reload-socket", directory],
  ]);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilConfirmed(agent, renewed);
  expect(reload.requests).toMatchObject([{ path: "/reload", headers: { host: "server" } }]);
});

test("an endpoint that isn't up yet, or fails for a while, is asked again soon", async () => {
  const answers = [503, 500, 200];
  const { stage, flags } = await createReloadable((server) => (request, response) => {
    const status = answers.shift() ?? 200;
    if (status === 200) return reloads(server)(request, response);
    response.writeHead(status).end("starting");
  });
  const agent = await stage.startAgent(flags);
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 3 });
  expect(agent.events("reload-settled").map(({ reason }) => reason)).toEqual([
    "server-error",
    "server-error",
    undefined,
  ]);
});

test("an endpoint that says 200 and reloads nothing convinces nobody", async () => {
  const { stage, reload, flags } = await createReloadable(() => (_, response) => void response.end("done"));
  const agent = await stage.startAgent([...flags, "--verify-timeout", "300ms", "--stale-grace", "1s"]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  expect(await untilState(agent, "stale", /200/)).toMatchObject({ status: 503 });
  await until(
    () => reload.requests.length,
    (count) => count >= 2,
  );
});

test("credentials are never shown, in log, status or metrics", async () => {
  const { stage, flags } = await createReloadable(wantsToken);
  const token = join(dirname(stage.volume.directory), "token");
  await writeFile(token, "a-very-secret-token\n");
  const agent = await stage.startAgent([...flags, "--reload-bearer-file", token]);
  await untilState(agent, "in-sync");
  await stage.publish(await stage.issue());
  await untilEvent(agent, "reload-settled");
  const shown = [agent.output(), JSON.stringify(await agent.status()), await agent.metrics()].join("\n");
  expect(shown).not.toContain((await readFile(token, "utf8")).trim());
});
