import { describe, expect, test } from "vitest";
import { findProcess } from "../../../src/process/find-process.ts";
import { createProcTree, type FixtureProcess } from "../../support/proc-fixture.ts";

const argv = ["node", "/app/certhup.mjs", "run"];
const notShared = { kind: "none", reason: "process-namespace-not-shared" };

async function search(agentPid: number, processes: readonly FixtureProcess[]) {
  await using tree = await createProcTree(agentPid, processes);
  return await findProcess({ name: "nginx" }, { procRoot: tree.root, self: { pid: agentPid } });
}

describe("a process namespace that isn't shared", () => {
  test("shows only the agent, as PID 1", async () => {
    expect(await search(1, [{ pid: 1, ppid: 0, comm: "node", argv }])).toEqual({
      ...notShared,
      detail: "only the agent's own processes are visible: node (pid 1)",
      hint: expect.stringContaining("shareProcessNamespace: true"),
    });
  });

  test("shows only the agent below its init", async () => {
    const init = { pid: 1, ppid: 0, comm: "tini", argv: ["tini", "--", ...argv] };
    expect(await search(7, [init, { pid: 7, ppid: 1, comm: "node", argv }])).toMatchObject(notShared);
  });

  test("is told of an agent whose container somebody looks into", async () => {
    const shell = { pid: 30, ppid: 0, comm: "sh", argv: ["sh"] };
    expect(await search(1, [{ pid: 1, ppid: 0, comm: "node", argv }, shell])).toMatchObject(notShared);
  });

  test("is told rather than that the pid file isn't there, which is another container's", async () => {
    await using tree = await createProcTree(1, [{ pid: 1, ppid: 0, comm: "node", argv }]);
    const selector = { pidFile: "/nonexistent/nginx.pid" };
    expect(await findProcess(selector, { procRoot: tree.root, self: { pid: 1 } })).toMatchObject(notShared);
  });

  test("is no excuse where another container joined the agent's namespace", async () => {
    const nginx = { pid: 30, ppid: 0, comm: "nginx" };
    expect(await search(1, [{ pid: 1, ppid: 0, comm: "node", argv }, nginx])).toMatchObject({ process: { pid: 30 } });
  });
});

test("a pod that shares it, whose server isn't there yet, only lacks the server", async () => {
  const pause = { pid: 1, ppid: 0, comm: "pause", argv: ["/pause"] };
  expect(await search(7, [pause, { pid: 7, ppid: 0, comm: "node", argv }])).toMatchObject({
    kind: "none",
    reason: "no-process",
    detail: "no process is named nginx; seen: none but the agent's own and pause",
  });
});

test("a /proc that hides the processes of others is told by name", async () => {
  const shell = { pid: 40, ppid: 1, comm: "sh" };
  expect(await search(41, [shell, { pid: 41, ppid: 40, comm: "node", argv }])).toMatchObject({
    ...notShared,
    hint: expect.stringContaining("hidepid"),
  });
});
