import fc from "fast-check";
import { expect, test } from "vitest";
import { findProcess } from "../../../src/process/find-process.ts";
import { createProcTree, type FixtureProcess } from "../../support/proc-fixture.ts";

const agentPid = 50;
const agent = { pid: agentPid, ppid: 0, comm: "node", argv: ["node", "/app/certhup.mjs", "run"] };
const worker = "nginx: worker process";

/** What a process may be; only the first two are servers that can be told. */
const kinds = {
  server: { comm: "nginx", argv: ["nginx: master process nginx"] },
  plain: { comm: "nginx", argv: ["/usr/sbin/nginx"] },
  worker: { comm: "nginx", argv: [worker] },
  zombie: { comm: "nginx", argv: [], state: "Z" },
  kernel: { comm: "nginx", argv: [], isKernelThread: true },
  certhup: { comm: "nginx", argv: ["nginx", "/app/certhup.mjs", "health"] },
  other: { comm: "sleep", argv: ["sleep", "60"] },
} as const satisfies Record<string, Omit<FixtureProcess, "pid">>;

const kind = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]));

/** Processes from 2 upwards; each has an earlier one, the agent, the namespace's first or nobody as its parent. */
const forest = fc.array(fc.record({ kind, parent: fc.nat() }), { minLength: 1, maxLength: 12 }).map((drawn) =>
  drawn.map((each, index) => {
    const parents = [0, 1, agentPid, ...Array.from({ length: index }, (_, earlier) => earlier + 2)];
    return { pid: index + 2, kind: each.kind, ppid: parents[each.parent % parents.length] ?? 0 };
  }),
);

test("whatever runs, only a server that nobody above could be is found, and never one of the agent's", async () => {
  await fc.assert(
    fc.asyncProperty(forest, async (processes) => {
      const fixtures = processes.map(({ pid, ppid, kind: name }) => ({ pid, ppid, ...kinds[name] }));
      const first = { pid: 1, ppid: 0, comm: "pause", argv: ["/pause"] };
      await using tree = await createProcTree(agentPid, [first, agent, ...fixtures]);
      const found = await findProcess({ name: "nginx" }, { procRoot: tree.root, self: { pid: agentPid } });
      const parentOf = new Map(processes.map(({ pid, ppid }) => [pid, ppid]));
      const ancestors = (pid: number): number[] => {
        const parent = parentOf.get(pid);
        return parent === undefined ? [] : [parent, ...ancestors(parent)];
      };
      const servers = processes.filter(({ pid, kind: name }) => {
        return (name === "server" || name === "plain") && !ancestors(pid).includes(agentPid);
      });
      const topmost = servers.filter(({ pid }) => !servers.some((server) => ancestors(pid).includes(server.pid)));
      const pids = topmost.map(({ pid }) => pid);
      if (found.kind === "found") expect(pids).toEqual([found.process.pid]);
      else if (found.kind === "ambiguous") expect(found.processes.map(({ pid }) => pid)).toEqual(pids);
      else expect(pids).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
