import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { bundle, type RunningAgent } from "../support/agent.ts";
import { untilState } from "../support/agent-waits.ts";
import { certhup, createStage } from "../support/stage.ts";
import { until } from "../support/until.ts";

async function startQuietAgent(): Promise<RunningAgent> {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const agent = await stage.startAgent();
  await untilState(agent, "unreachable");
  return agent;
}

/** Connects without a word. */
async function connectTo({ url }: RunningAgent): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
  socket.on("error", () => socket.destroy());
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Sends raw bytes and reads until the other side hangs up. */
async function converse(agent: RunningAgent, request: string): Promise<string> {
  const socket = await connectTo(agent);
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
  });
  const closed = once(socket, "close");
  socket.write(request);
  await closed;
  return answer;
}

test("each path answers what it is for", async () => {
  const agent = await startQuietAgent();
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${agent.url}${path}`, init);
    return { status: response.status, type: response.headers.get("content-type"), body: await response.text() };
  };
  const text = "text/plain; charset=utf-8";
  expect(await ask("/livez")).toEqual({ status: 200, type: text, body: "ok\n" });
  expect(await ask("/startupz")).toEqual({ status: 200, type: text, body: "ok\n" });
  expect(await ask("/readyz")).toEqual({ status: 503, type: text, body: expect.stringMatching(/^default: unreach/) });
  expect(await ask("/readyz?verbose=1")).toMatchObject({ status: 503 });
  expect(await ask("/metrics")).toMatchObject({ status: 200, type: expect.stringContaining("version=0.0.4") });
  const status = await ask("/status");
  expect(status).toMatchObject({ status: 200, type: "application/json; charset=utf-8" });
  expect(JSON.parse(status.body)).toMatchObject({ targets: [{ name: "default" }] });
  for (const path of ["/nowhere", "/readyz/", "/etc/passwd"]) {
    expect(await ask(path)).toMatchObject({ status: 404, body: expect.stringContaining("/readyz") });
  }
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    expect(await ask("/readyz", { method })).toMatchObject({ status: 405 });
  }
  expect(await ask("/livez", { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
});

test("headers that are too large are turned away, and the next one is answered", async () => {
  const agent = await startQuietAgent();
  const answer = await converse(agent, `GET /livez HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(20_000)}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  expect((await fetch(`${agent.url}/livez`)).status).toBe(200);
});

test("what is no HTTP is turned away, and the next one is answered", async () => {
  const agent = await startQuietAgent();
  expect(await converse(agent, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")).toMatch(/^HTTP\/1\.1 400 /);
  expect((await fetch(`${agent.url}/livez`)).status).toBe(200);
});

test("a body that never ends is not read for long", async () => {
  const agent = await startQuietAgent();
  const request =
    "POST /readyz HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n5\r\nabcde\r\n";
  expect(await converse(agent, request)).toMatch(/^HTTP\/1\.1 405 /);
});

test("a hundred silent connections don't keep the kubelet out", async () => {
  const agent = await startQuietAgent();
  await Promise.all(Array.from({ length: 100 }, () => connectTo(agent)));
  // The kubelet makes a new connection for each of its probes.
  const request = "GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
  await until(
    () => converse(agent, request),
    (answer) => answer.startsWith("HTTP/1.1 200 "),
    { timeoutMs: 2_000, everyMs: 100 },
  );
});

test("an address that is taken is told with what to do, and status 1", async () => {
  const agent = await startQuietAgent();
  const stage = await createStage();
  const taken = new URL(agent.url).host;
  const { status, standardError } = await certhup(["run", ...stage.target, "--listen-address", taken]);
  expect({ status, standardError }).toEqual({
    status: 1,
    standardError: expect.stringMatching(
      new RegExp(`^error: can't listen on ${taken}: EADDRINUSE\nhint: .*--listen-address.*\n$`),
    ),
  });
});

test("an address of another machine is told, and status 1", async () => {
  const stage = await createStage();
  const { status, output } = await certhup(["run", ...stage.target, "--listen-address", "192.0.2.1:10087"]);
  expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining("EADDRNOTAVAIL") });
});

test("on a machine without IPv6 the agent listens on IPv4", async () => {
  // A network of its own, without IPv6, in which the agent runs and is asked by its own health command.
  const script = `
    ip link set lo up 2>/dev/null || true
    sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.lo.disable_ipv6=1
    "$0" "$1" run --cert-dir / --endpoint none --reload none --listen-address :10087 & agent=$!
    for _ in $(seq 50); do "$0" "$1" health --live --listen-address 127.0.0.1:10087 && break; sleep 0.1; done
    kill $agent; wait $agent`;
  const arguments_ = ["--net", "bash", "-c", script, process.execPath, bundle];
  const { status, stdout, stderr } = spawnSync("unshare", arguments_, { encoding: "utf8", timeout: 30_000 });
  expect(stdout, stderr).toMatch(/^ok$/m);
  expect(stdout).toContain('"address":"http://127.0.0.1:10087"');
  expect(status).toBe(0);
});
