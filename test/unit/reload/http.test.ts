import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createManualClock } from "../../support/manual-clock.ts";
import { httpStrategy, startReloadEndpoint } from "../../support/reload-endpoint.ts";

const never = new AbortController().signal;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-http-"));
});
afterEach(() => rm(directory, { recursive: true }));

describe("the request", () => {
  test("is a POST without a body, and any 2xx is accepted", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => response.writeHead(204).end());
    expect(await httpStrategy(endpoint.port).reload(never)).toEqual({
      kind: "accepted",
      detail: `POST http://127.0.0.1:${endpoint.port}/-/reload answered 204`,
    });
    expect(endpoint.requests).toMatchObject([{ method: "POST", path: "/-/reload", body: "" }]);
  });

  test("carries method, query, headers and body as configured, and the query stays out of the outcome", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end());
    const outcome = await httpStrategy(endpoint.port, {
      url: new URL(`http://127.0.0.1:${endpoint.port}/admin?key=secret`),
      method: "PUT",
      headers: [
        ["Content-Type", "application/json"],
        ["X-Reload", "yes"],
      ],
      body: '{"reload":true}',
    }).reload(never);
    expect(outcome).toEqual({
      kind: "accepted",
      detail: `PUT http://127.0.0.1:${endpoint.port}/admin answered 200`,
    });
    expect(endpoint.requests).toMatchObject([
      {
        method: "PUT",
        path: "/admin?key=secret",
        headers: { "content-type": "application/json", "x-reload": "yes", "content-length": "15" },
        body: '{"reload":true}',
      },
    ]);
  });

  test("goes through a unix socket", async () => {
    const unixSocket = join(directory, "admin.sock");
    await using endpoint = await startReloadEndpoint((_, response) => response.end(), { listen: { path: unixSocket } });
    const outcome = await httpStrategy(1, { url: new URL("http://admin/reload"), unixSocket }).reload(never);
    expect(outcome).toMatchObject({ kind: "accepted" });
    expect(endpoint.requests).toMatchObject([{ path: "/reload", headers: { host: "admin" } }]);
  });

  test.each(["127.0.0.1", "::1"])("to localhost reaches a server on %s", async (host) => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end(), { listen: { host, port: 0 } });
    const url = new URL(`http://localhost:${endpoint.port}/`);
    expect(await httpStrategy(1, { url }).reload(never)).toMatchObject({ kind: "accepted" });
  });

  test("is not sent after the reload was called off", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end());
    expect(await httpStrategy(endpoint.port).reload(AbortSignal.abort())).toMatchObject({ reason: "cancelled" });
    expect(endpoint.requests).toEqual([]);
  });

  test("is not sent after the time is up that its secrets are read in, too", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end());
    const file = join(directory, "token");
    await writeFile(file, "token");
    const clock = createManualClock(0);
    const outcome = httpStrategy(endpoint.port, { credentials: { kind: "bearer", file }, clock }).reload(never);
    clock.pass(5_000);
    expect(await outcome).toMatchObject({ kind: "refused", reason: "credentials-unusable" });
    expect(endpoint.requests).toEqual([]);
  });

  test("is not sent by prepare", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end());
    expect(await httpStrategy(endpoint.port).prepare()).toEqual([]);
    expect(endpoint.requests).toEqual([]);
  });
});

describe("an answer", () => {
  test.each([
    [400, "client-error", /correct the request/],
    [401, "client-error", /credentials/],
    [403, "client-error", /switched on/],
    [404, "client-error", /path/],
    [405, "client-error", /method/],
    [429, "client-error", /correct/],
    [500, "server-error", /log/],
    [503, "server-error", /log/],
    [304, "unexpected-answer", /allow this status/],
  ])("of %i is refused as %s", async (status, reason, hint) => {
    await using endpoint = await startReloadEndpoint((_, response) => response.writeHead(status).end());
    expect(await httpStrategy(endpoint.port).reload(never)).toEqual({
      kind: "refused",
      reason,
      detail: `POST http://127.0.0.1:${endpoint.port}/-/reload answered ${status}`,
      hint: expect.stringMatching(hint),
    });
  });

  test("is accepted by the statuses of the configuration alone", async () => {
    await using endpoint = await startReloadEndpoint((request, response) => {
      response.writeHead(request.url === "/304" ? 304 : 200).end();
    });
    const expectedStatuses = [{ from: 304, to: 304 }];
    const at = (path: string) => new URL(`http://127.0.0.1:${endpoint.port}${path}`);
    expect(await httpStrategy(1, { url: at("/304"), expectedStatuses }).reload(never)).toMatchObject({
      kind: "accepted",
    });
    expect(await httpStrategy(1, { url: at("/"), expectedStatuses }).reload(never)).toMatchObject({
      reason: "unexpected-answer",
    });
  });

  test("is quoted by its first 300 characters, in one line, with nothing that a terminal would obey", async () => {
    const body = `bad \u001b[31mconfig\r\nline two\n${"x".repeat(1_000)}`;
    await using endpoint = await startReloadEndpoint((_, response) => response.writeHead(500).end(body));
    const outcome = await httpStrategy(endpoint.port).reload(never);
    const start = "answered 500: bad \\x1b[31mconfig / line two / ";
    expect(outcome).toMatchObject({ detail: expect.stringContaining(start) });
    expect((outcome as { detail: string }).detail).toMatch(/ \/ x{200,280}…$/);
  });

  test("without end is read no further than 64 KiB", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => {
      const more = (): void => {
        while (response.write("x".repeat(16_384)));
        response.once("drain", more);
      };
      more();
    });
    expect(await httpStrategy(endpoint.port).reload(never)).toMatchObject({ kind: "accepted" });
  });
});

describe("a redirect", () => {
  test("is not followed, and told", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => {
      response.writeHead(307, { location: "/-/reload/" }).end();
    });
    expect(await httpStrategy(endpoint.port).reload(never)).toMatchObject({
      kind: "refused",
      reason: "redirected",
      detail: `POST http://127.0.0.1:${endpoint.port}/-/reload answered 307 and sends on to /-/reload/`,
    });
    expect(endpoint.requests).toHaveLength(1);
  });

  test.each([301, 302, 307, 308])("by %i keeps method and body when it may be followed", async (status) => {
    await using endpoint = await startReloadEndpoint((request, response) => {
      if (request.url === "/there") response.end();
      else response.writeHead(status, { location: "/there" }).end();
    });
    const outcome = await httpStrategy(endpoint.port, { maxRedirects: 1, body: "now" }).reload(never);
    expect(outcome).toMatchObject({ kind: "accepted" });
    expect(endpoint.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ["POST", "/-/reload", "now"],
      ["POST", "/there", "now"],
    ]);
  });

  test("in a circle ends at the limit", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => response.writeHead(307, { location: "/" }).end());
    expect(await httpStrategy(endpoint.port, { maxRedirects: 3 }).reload(never)).toMatchObject({
      reason: "redirected",
    });
    expect(endpoint.requests).toHaveLength(4);
  });

  test("to another server is never followed", async () => {
    await using other = await startReloadEndpoint((_, response) => response.end());
    await using endpoint = await startReloadEndpoint((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end();
    });
    expect(await httpStrategy(endpoint.port, { maxRedirects: 5 }).reload(never)).toMatchObject({
      reason: "redirected",
    });
    expect(other.requests).toEqual([]);
  });
});
