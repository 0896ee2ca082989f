import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { httpStrategy, startReloadEndpoint } from "../../support/reload-endpoint.ts";

const never = new AbortController().signal;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-credentials-"));
});
afterEach(() => rm(directory, { recursive: true }));

describe("credentials", () => {
  test("are a bearer token, read anew for each request", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end());
    const file = join(directory, "token");
    await writeFile(file, "first.token\n");
    const strategy = httpStrategy(endpoint.port, { credentials: { kind: "bearer", file } });
    await strategy.reload(never);
    await writeFile(file, "second-token==\n");
    await strategy.reload(never);
    expect(endpoint.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer first.token",
      "Bearer second-token==",
    ]);
  });

  test("are user and password of one file", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end());
    const path = join(directory, "basic");
    await writeFile(path, "admin:pass:wörd \n");
    await httpStrategy(endpoint.port, { credentials: { kind: "basic", path } }).reload(never);
    const [request] = endpoint.requests;
    const sent = Buffer.from(request?.headers.authorization?.replace("Basic ", "") ?? "", "base64");
    expect(sent.toString()).toBe("admin:pass:wörd ");
  });

  test("are the two files of a Kubernetes basic-auth Secret", async () => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end());
    await writeFile(join(directory, "username"), "admin");
    await writeFile(join(directory, "password"), "secret");
    await httpStrategy(endpoint.port, { credentials: { kind: "basic", path: directory } }).reload(never);
    expect(endpoint.requests[0]?.headers.authorization).toBe("Basic YWRtaW46c2VjcmV0");
  });

  test("that are refused at first are accepted once their file is right", async () => {
    await using endpoint = await startReloadEndpoint((request, response) => {
      response.writeHead(request.headers.authorization === "Bearer right" ? 200 : 401).end();
    });
    const file = join(directory, "token");
    await writeFile(file, "wrong");
    const strategy = httpStrategy(endpoint.port, { credentials: { kind: "bearer", file } });
    expect(await strategy.reload(never)).toMatchObject({ reason: "client-error" });
    await writeFile(file, "right");
    expect(await strategy.reload(never)).toMatchObject({ kind: "accepted" });
  });

  test("go along a redirect to the same server", async () => {
    await using endpoint = await startReloadEndpoint((request, response) => {
      if (request.url === "/there") response.end();
      else response.writeHead(308, { location: "/there" }).end();
    });
    const file = join(directory, "token");
    await writeFile(file, "token");
    await httpStrategy(endpoint.port, { credentials: { kind: "bearer", file }, maxRedirects: 1 }).reload(never);
    expect(endpoint.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer token", "Bearer token"]);
  });
});

describe("unusable credentials", () => {
  test.each([
    ["", "holds no bearer token"],
    ["two words", "holds no bearer token"],
    ["token\r\nX-Injected: yes", "holds no bearer token"],
  ])("of a token file with %j send no request, and show nothing of it", async (content, what) => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end());
    const file = join(directory, "token");
    await writeFile(file, content);
    const strategy = httpStrategy(endpoint.port, { credentials: { kind: "bearer", file } });
    const detail = `${file} ${what}`;
    expect(await strategy.prepare()).toMatchObject([
      { code: "credentials-unusable", severity: "refuse", message: detail },
    ]);
    expect(await strategy.reload(never)).toMatchObject({ kind: "refused", reason: "credentials-unusable", detail });
    expect(endpoint.requests).toEqual([]);
  });

  test.each(["", "no colon", "a:b\nc:d"])("of a password file with %j send no request", async (content) => {
    await using endpoint = await startReloadEndpoint((_, response) => response.end());
    const path = join(directory, "basic");
    await writeFile(path, content);
    const outcome = await httpStrategy(endpoint.port, { credentials: { kind: "basic", path } }).reload(never);
    expect(outcome).toMatchObject({ reason: "credentials-unusable" });
    expect(endpoint.requests).toEqual([]);
  });

  test("may be a missing file", async () => {
    const file = join(directory, "missing");
    expect(await httpStrategy(1, { credentials: { kind: "bearer", file } }).prepare()).toMatchObject([
      { code: "credentials-unusable", message: `credentials ${file} can't be read: ENOENT` },
    ]);
  });

  test("may be a directory without the password", async () => {
    await mkdir(join(directory, "secret"));
    const path = join(directory, "secret");
    expect(await httpStrategy(1, { credentials: { kind: "basic", path } }).prepare()).toMatchObject([
      { code: "credentials-unusable" },
    ]);
  });
});

describe("credentials in a named pipe that nobody writes to", () => {
  test("are unusable at once", async () => {
    const pipe = join(directory, "password");
    execFileSync("mkfifo", [pipe]);
    await writeFile(join(directory, "username"), "admin");
    for (const credentials of [
      { kind: "bearer", file: pipe },
      { kind: "basic", path: pipe },
    ] as const) {
      expect(await httpStrategy(1, { credentials }).prepare()).toMatchObject([
        { code: "credentials-unusable", message: `credentials ${pipe} is no regular file` },
      ]);
    }
    expect(await httpStrategy(1, { credentials: { kind: "basic", path: directory } }).prepare()).toMatchObject([
      { code: "credentials-unusable", message: `credentials ${pipe} is no regular file` },
    ]);
  });
});

describe("credentials that would travel in clear", () => {
  test.each([
    ["http://10.0.0.1/reload", ["credentials-in-clear"]],
    ["http://admin.example/reload", ["credentials-in-clear"]],
    ["https://admin.example/reload", []],
    ["http://127.0.0.2/reload", []],
    ["http://[::1]/reload", []],
    ["http://localhost/reload", []],
  ])("to %s are told: %j", async (url, codes) => {
    const file = join(directory, "token");
    await writeFile(file, "token");
    const findings = await httpStrategy(1, { url: new URL(url), credentials: { kind: "bearer", file } }).prepare();
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });
});
