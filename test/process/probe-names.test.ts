import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { startBundle, waitForEnd } from "../support/agent.ts";
import { untilState } from "../support/agent-waits.ts";
import { fillQueue, shortQueue } from "../support/busy-server.ts";
import { type NameServer, startNameServer } from "../support/name-server.ts";
import { createStage, endWithTest, startStagedAgent } from "../support/stage.ts";
import { until } from "../support/until.ts";

async function startNames(known: Readonly<Record<string, readonly string[]>>): Promise<NameServer> {
  const names = await startNameServer(new Map(Object.entries(known)));
  onTestFinished(() => names[Symbol.asyncDispose]());
  return names;
}

/** Probes as JSON, asking this name server. */
function startProbe(names: NameServer, args: readonly string[]) {
  const child = startBundle(["probe", ...args, "--output", "json"], {}, undefined, names.prefix);
  endWithTest("certhup probe", child);
  return child;
}

/** A stage whose server listens on one address of loopback, with a queue that can be filled. */
async function serveOn(host: string) {
  const stage = await createStage();
  const pair = await stage.issue({ names: ["www.names.example"] });
  await stage.publish(pair);
  const server = await stage.startServer(undefined, undefined, { host, backlog: shortQueue });
  return { stage, server, pair, port: Number(stage.endpoint.split(":").at(-1)) };
}

test("a name whose first address takes no connection is seen at the next one", async () => {
  const { stage, server, pair, port } = await serveOn("127.0.0.2");
  server.kill("SIGSTOP");
  const waiting = await fillQueue("127.0.0.2", port);
  await stage.startServer(undefined, undefined, { host: "127.0.0.3" });
  const names = await startNames({ "www.names.example": ["127.0.0.2", "127.0.0.3"] });
  const { standardOutput } = await waitForEnd(startProbe(names, [`www.names.example:${port}`]));
  server.kill("SIGKILL");
  for (const socket of waiting) socket.destroy();
  expect(JSON.parse(standardOutput)).toMatchObject({ endpoints: [{ served: { fingerprint: pair.fingerprint } }] });
});

test("a first address that takes its time isn't given up for one where nothing listens", async () => {
  const { server, pair, port } = await serveOn("127.0.0.2");
  server.kill("SIGSTOP");
  const waiting = await fillQueue("127.0.0.2", port);
  const names = await startNames({ "www.names.example": ["127.0.0.2", "127.0.0.3"] });
  const child = startProbe(names, [`www.names.example:${port}`]);
  // Its first packet was dropped, and the kernel sends the next one a second later (RFC 6298, section 2.1).
  await until(
    () => readFile("/proc/net/tcp", "utf8"),
    (table) => table.includes(`0200007F:${port.toString(16).toUpperCase().padStart(4, "0")} 02`),
  );
  for (const socket of waiting) socket.destroy();
  server.kill("SIGCONT");
  const { standardOutput } = await waitForEnd(child);
  expect(JSON.parse(standardOutput)).toMatchObject({ endpoints: [{ served: { fingerprint: pair.fingerprint } }] });
});

test("names that no name server tells cost their time limit together, and hide no other", async () => {
  const { pair, port } = await serveOn("127.0.0.1");
  const names = await startNames({ "www.names.example": ["127.0.0.1"] });
  const dead = Array.from({ length: 30 }, (_, number) => `dead-${number}.names.example:${port}`);
  const startMs = performance.now();
  const { status, standardOutput } = await waitForEnd(startProbe(names, [...dead, `www.names.example:${port}`]));
  expect(status).toBe(1);
  const { endpoints } = JSON.parse(standardOutput);
  expect(endpoints.at(-1)).toMatchObject({ served: { fingerprint: pair.fingerprint } });
  expect(endpoints.slice(0, -1)).toEqual(
    dead.map((endpoint) => ({
      endpoint,
      state: "unreachable",
      reason: "name-not-resolved",
      detail: expect.stringMatching(/told the address of dead-.* within 3000 ms$|can't be resolved \(EAI_AGAIN\)$/),
    })),
  );
  // With the resolver's own patience it would be ten seconds for every two names.
  expect(performance.now() - startMs).toBeLessThan(20_000);
});

test("an agent that waits for a name server ends quickly when it is told to", async () => {
  const names = await startNames({});
  const flags = ["--watch-only", "--endpoint", "dead.names.example:443"];
  const agent = await startStagedAgent(flags, {}, names.prefix);
  await until(
    () => names.count(),
    (count) => count > 0,
  );
  // After five seconds it would be killed.
  expect(await agent.stop()).toBe(0);
});

test("a name that can't be looked up is told as such by the agent", async () => {
  const names = await startNames({});
  const flags = ["--watch-only", "--endpoint", "dead.names.example:443", "--probe-timeout", "500ms"];
  const agent = await startStagedAgent(flags, {}, names.prefix);
  const { text } = await untilState(agent, "unreachable");
  expect(text).toContain("no name server told the address of dead.names.example:443 within 300 ms");
});
