import { describe, expect, test } from "vitest";
import { findProcess, type ProcessSearch, type ProcessSelector } from "../../../src/process/find-process.ts";
import { createProcTree, type FixtureProcess } from "../../support/proc-fixture.ts";

const pause = { pid: 1, ppid: 0, comm: "pause", argv: ["/pause"] };
const agent = { pid: 20, ppid: 0, comm: "node", argv: ["/nodejs/bin/node", "/app/certhup.mjs", "run"] };
const master = { pid: 7, ppid: 0, comm: "nginx", argv: ["nginx: master process nginx -g daemon off;"] };
const workers = [8, 9].map((pid) => ({ pid, ppid: 7, comm: "nginx", argv: ["nginx: worker process"] }));

async function search(selector: ProcessSelector, processes: readonly FixtureProcess[]): Promise<ProcessSearch> {
  await using tree = await createProcTree(agent.pid, [pause, agent, ...processes]);
  return await findProcess(selector, { procRoot: tree.root, self: { pid: agent.pid } });
}

async function pidOf(selector: ProcessSelector, processes: readonly FixtureProcess[]): Promise<number | ProcessSearch> {
  const found = await search(selector, processes);
  return found.kind === "found" ? found.process.pid : found;
}

describe("by name", () => {
  test("the master is found among its workers", async () => {
    expect(await pidOf({ name: "nginx" }, [master, ...workers])).toBe(7);
  });

  test("the topmost is found over a process in between that bears another name", async () => {
    const between = { pid: 8, ppid: 7, comm: "helper" };
    const below = { pid: 9, ppid: 8, comm: "server" };
    expect(await pidOf({ name: "server" }, [{ pid: 7, comm: "server" }, between, below])).toBe(7);
  });

  test("the first process of the namespace is found when it is the server", async () => {
    await using tree = await createProcTree(agent.pid, [
      agent,
      { ...master, pid: 1 },
      { pid: 8, ppid: 1, comm: "nginx", argv: ["nginx: worker process"] },
    ]);
    const found = await findProcess({ name: "nginx" }, { procRoot: tree.root, self: { pid: agent.pid } });
    expect(found).toMatchObject({ process: { pid: 1 } });
  });

  test("the program file counts where it can be read", async () => {
    expect(await pidOf({ name: "nginx" }, [{ pid: 7, comm: "main", exe: "/usr/sbin/nginx (deleted)" }])).toBe(7);
  });

  test("a server of another user is found without its program file", async () => {
    expect(await pidOf({ name: "nginx" }, [{ ...master, uid: 101 }])).toBe(7);
  });

  test("neither a log reader nor an editor nor a shell that names the server is it", async () => {
    const others = [
      { pid: 10, comm: "tail", argv: ["tail", "-f", "/var/log/nginx/access.log"] },
      { pid: 11, comm: "vim", argv: ["vim", "/etc/nginx/nginx.conf"] },
      { pid: 12, comm: "sh", argv: ["sh", "-c", "nginx -t"] },
    ];
    expect(await pidOf({ name: "nginx" }, [...others, master])).toBe(7);
  });

  test("the agent, its children and other certhups are no server by the name of node", async () => {
    const own = [
      { pid: 21, ppid: 20, comm: "node", argv: ["node", "/app/test.js"] },
      { pid: 22, ppid: 21, comm: "node", argv: ["node", "/app/test.js"] },
      { pid: 30, ppid: 0, comm: "node", argv: ["/nodejs/bin/node", "/app/certhup.mjs", "health"] },
      { pid: 31, ppid: 0, comm: "node", argv: ["node", "certhup.mjs", "health"] },
    ];
    const server = { pid: 7, ppid: 0, comm: "node", argv: ["node", "/srv/server.js"] };
    expect(await pidOf({ name: "node" }, [...own, server])).toBe(7);
    expect(await search({ name: "node" }, own)).toMatchObject({ kind: "none", reason: "no-process" });
  });

  test("a process of the agent's own container is no server", async () => {
    const group = (name: string) => `0::/../${name}\n`;
    await using tree = await createProcTree(agent.pid, [
      { ...pause, cgroup: group("pause") },
      { ...agent, cgroup: group("agent") },
      { pid: 30, ppid: 0, comm: "node", argv: ["node", "-e", "debug()"], cgroup: group("agent") },
      { pid: 7, ppid: 0, comm: "node", argv: ["node", "/srv/server.js"], cgroup: group("server") },
    ]);
    expect(await findProcess({ name: "node" }, { procRoot: tree.root, self: { pid: agent.pid } })).toMatchObject({
      process: { pid: 7 },
    });
  });

  test("neither pause nor a thread of the kernel is a server", async () => {
    const thread = { pid: 3, ppid: 2, comm: "server", argv: [], isKernelThread: true };
    expect(await search({ name: "server" }, [thread])).toMatchObject({ kind: "none" });
    expect(await search({ name: "pause" }, [thread, master])).toMatchObject({ kind: "none", reason: "no-process" });
  });

  test("a zombie is passed over for the living", async () => {
    const zombie = { pid: 6, comm: "server", argv: [], state: "Z" };
    expect(await pidOf({ name: "server" }, [zombie, { pid: 7, comm: "server" }])).toBe(7);
  });

  test("a wrapper is found when it is asked for by name and started nothing of that name", async () => {
    expect(await pidOf({ name: "sh" }, [{ pid: 7, comm: "sh", argv: ["sh", "loop.sh"] }])).toBe(7);
  });
});

describe("by pattern", () => {
  const shell = { pid: 7, comm: "sh", argv: ["sh", "-c", "server --port 1; true"] };
  const server = { pid: 8, ppid: 7, comm: "server", argv: ["server", "--port", "1"] };

  test("the server is found below the shell that started it", async () => {
    expect(await pidOf({ match: /server --port 1/ }, [shell, server])).toBe(8);
  });

  test("a shell alone is refused", async () => {
    expect(await search({ match: /server --port 1/ }, [shell])).toEqual({
      kind: "none",
      reason: "wrapper-only",
      detail: "only a wrapper matches: sh (pid 7); a signal to it would end it, or miss the server",
      hint: "match the server's own command line, or ask for sh by --process-name",
    });
  });

  test("one of two servers is chosen by its arguments", async () => {
    const other = { pid: 9, comm: "nginx", argv: ["nginx: master process nginx -c /b.conf"] };
    const first = { pid: 7, comm: "nginx", argv: ["nginx: master process nginx -c /a.conf"] };
    expect(await pidOf({ name: "nginx", match: /-c \/b\.conf/ }, [first, other])).toBe(9);
  });

  test("a pattern with a memory gives the same answer each time", async () => {
    const match = /server/g;
    expect(await pidOf({ match }, [server])).toBe(8);
    expect(await pidOf({ match }, [server])).toBe(8);
  });
});

describe("several servers", () => {
  test("are ambiguous, and all are named", async () => {
    const masters = ["a", "b"].map((name, index) => ({
      pid: 7 + index,
      comm: "nginx",
      argv: [`nginx: master process nginx -c /${name}.conf`],
    }));
    expect(await search({ name: "nginx" }, masters)).toMatchObject({
      kind: "ambiguous",
      processes: [{ pid: 7 }, { pid: 8 }],
      detail:
        "2 processes match: nginx: master process nginx -c /a.conf (pid 7), nginx: master process nginx -c /b.conf (pid 8)",
      hint: expect.stringContaining("--process-match"),
    });
  });
});

describe("nothing found", () => {
  test("names what was seen", async () => {
    expect(await search({ name: "nginx" }, [{ pid: 7, comm: "httpd" }])).toEqual({
      kind: "none",
      reason: "no-process",
      detail: "no process is named nginx; seen: httpd (pid 7)",
      hint: expect.stringContaining("--process-match"),
    });
  });

  test("names what is defunct", async () => {
    const zombie = { pid: 7, comm: "nginx", argv: [], state: "Z" };
    expect(await search({ name: "nginx" }, [zombie, { pid: 9, comm: "sleep" }])).toMatchObject({
      reason: "no-process",
      detail: "nginx (pid 7) is defunct: ended, and not yet collected by the parent",
    });
  });

  test("tells of workers that lost their master", async () => {
    const orphans = workers.map((worker) => ({ ...worker, ppid: 1 }));
    expect(await search({ name: "nginx" }, orphans)).toMatchObject({
      reason: "no-process",
      detail: expect.stringContaining("workers without a master: nginx (pid 8), nginx (pid 9)"),
      hint: "restart the server's container",
    });
  });

  test("shows no control characters of foreign names", async () => {
    const found = await search({ name: "nginx" }, [{ pid: 7, comm: "\u001b[31mred" }]);
    expect(found).toMatchObject({ detail: "no process is named nginx; seen: \\x1b[31mred (pid 7)" });
  });
});
