import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { untilState } from "../support/agent-waits.ts";
import { findFreePort } from "../support/free-port.ts";
import { certhup, createStage } from "../support/stage.ts";

test("of a ready agent health says so, with status 0", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  const { status, output } = await certhup(["health", "--listen-address", new URL(agent.url).host]);
  expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(/^default: in-sync: .+\n$/) });
});

test("of an agent that isn't ready health gives the reason and status 1, and with --live status 0", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const agent = await stage.startAgent();
  await untilState(agent, "unreachable");
  const address = new URL(agent.url).host;
  const { status, output } = await certhup(["health", "--listen-address", address]);
  expect({ status, output }).toEqual({ status: 1, output: expect.stringMatching(/^default: unreachable: .+\n$/) });
  expect(await certhup(["health", "--live", "--listen-address", address])).toMatchObject({ status: 0, output: "ok\n" });
  expect(await certhup(["health"], { CERTHUP_LIVE: "true", CERTHUP_LISTEN_ADDRESS: address })).toMatchObject({
    status: 0,
  });
});

test("an agent that listens on every address is asked on loopback", async () => {
  const stage = await createStage();
  const port = await findFreePort();
  await stage.startAgent([], { CERTHUP_LISTEN_ADDRESS: `:${port}` });
  expect(await certhup(["health", "--live", "--listen-address", `:${port}`])).toMatchObject({ status: 0 });
  expect(await certhup(["health", "--live", "--listen-address", `0.0.0.0:${port}`])).toMatchObject({ status: 0 });
  expect(await certhup(["health", "--live", "--listen-address", `[::]:${port}`])).toMatchObject({ status: 0 });
});

test("where nobody listens health says so, with what to look at and status 1", async () => {
  const port = await findFreePort();
  const { status, standardError } = await certhup(["health", "--listen-address", `127.0.0.1:${port}`]);
  expect({ status, standardError }).toEqual({
    status: 1,
    standardError: expect.stringMatching(/^error: no answer from .*ECONNREFUSED\nhint: .*--listen-address/),
  });
});

test("where someone listens and never answers health gives up after its time limit", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  // A TLS server waits for a handshake that a plain request never begins.
  await stage.startServer();
  const { status, standardError } = await certhup([
    ...["health", "--listen-address", stage.endpoint],
    ...["--health-timeout", "300ms"],
  ]);
  expect({ status, standardError }).toEqual({ status: 1, standardError: expect.stringContaining("no answer from") });
});

test("of an answer that is cut in mid-body health says there is none, with status 1", async () => {
  const server = createServer((socket) => {
    socket.once("data", () => {
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ndefault: in-sync: ");
    });
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const { status, output } = await certhup(["health", "--listen-address", `127.0.0.1:${port}`]);
  expect({ status, output }).toEqual({ status: 1, output: expect.stringMatching(/^error: no answer from .*\nhint: /) });
});
