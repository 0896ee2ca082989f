import { describe, expect, test } from "vitest";
import { doubtSignal, objectToSignal } from "../../../src/process/judge-signal.ts";
import type { Signal } from "../../../src/process/signals.ts";
import { createProcTree, type FixtureProcess } from "../../support/proc-fixture.ts";
import { readProcess } from "../../support/read-process.ts";

const hangUp: Signal = { name: "SIGHUP", number: 1 };
const user1: Signal = { name: "SIGUSR1", number: 10 };
const user2: Signal = { name: "SIGUSR2", number: 12 };
const all = Array.from({ length: 64 }, (_, index) => index + 1).filter((signal) => ![9, 19, 32, 33].includes(signal));

async function read(process: Omit<FixtureProcess, "pid">) {
  await using tree = await createProcTree(1, [{ pid: 7, ...process }]);
  const found = await readProcess(7, tree.root);
  if (found === undefined) throw new Error("the fixture has no process 7");
  return found;
}

describe("an objection", () => {
  test("is that the signal would end the server", async () => {
    expect(objectToSignal(await read({ comm: "webhook" }), hangUp)).toEqual({
      reason: "signal-not-handled",
      detail: "webhook (pid 7) has no handler for SIGHUP: it would end the process",
      hint: expect.stringMatching(/--reload restart.*--signal-unhandled/),
    });
  });

  test("is that the server ignores it", async () => {
    expect(objectToSignal(await read({ comm: "webhook", ignored: [1] }), hangUp)).toMatchObject({
      reason: "signal-ignored",
      detail: "webhook (pid 7) ignores SIGHUP",
    });
  });

  test("is that the kernel keeps it from the first process of a namespace", async () => {
    expect(objectToSignal(await read({ comm: "webhook", namespacePid: 1 }), hangUp)).toMatchObject({
      reason: "signal-ignored",
      detail: "webhook (pid 7) is PID 1 of its namespace and has no handler for SIGHUP, so that the kernel drops it",
    });
  });

  test("is not made against a handler", async () => {
    expect(objectToSignal(await read({ comm: "nginx", caught: [1] }), hangUp)).toBeUndefined();
  });
});

describe("a doubt", () => {
  test("is told of a Go program, whose runtime catches everything", async () => {
    expect(doubtSignal(await read({ comm: "webhook", caught: all }), hangUp)).toEqual([
      {
        code: "signal-handler-unknown",
        severity: "warn",
        message:
          "webhook (pid 7) runs on Go, which catches SIGHUP for every program: whether this one reloads or ends can't be known",
        hint: expect.stringContaining("--reload restart"),
      },
    ]);
  });

  test("is not told of a signal that Java leaves alone, since that is objected to", async () => {
    const java = await read({ comm: "java", caught: [1, 2, 3, 15] });
    expect(doubtSignal(java, user2)).toEqual([]);
    expect(objectToSignal(java, user2)).toMatchObject({ reason: "signal-not-handled" });
    expect(doubtSignal(java, hangUp)).toMatchObject([{ code: "signal-handler-unknown" }]);
  });

  test("is told of the signal that stops HAProxy", async () => {
    const haproxy = await read({ comm: "haproxy", caught: [1, 10, 12] });
    expect(doubtSignal(haproxy, user1)).toMatchObject([
      {
        code: "signal-not-a-reload",
        severity: "warn",
        message: "SIGUSR1 is no reload for haproxy (pid 7): it stops it softly: it takes no new connection and ends",
        hint: expect.stringContaining("SIGUSR2"),
      },
    ]);
    expect(doubtSignal(haproxy, user2)).toEqual([]);
  });

  test("is told where the kernel shows no signal masks, and nothing is objected to", async () => {
    const server = await read({ comm: "webhook", isTerse: true });
    expect(objectToSignal(server, hangUp)).toBeUndefined();
    expect(doubtSignal(server, hangUp)).toMatchObject([
      {
        code: "signal-handler-unknown",
        message: "whether webhook (pid 7) has a handler for SIGHUP can't be known: this kernel doesn't show it",
      },
    ]);
  });

  test("is told of nginx by its title", async () => {
    const nginx = await read({ comm: "nginx", argv: ["nginx: master process nginx"], caught: [1, 10, 12] });
    expect(doubtSignal(nginx, user2)).toMatchObject([{ code: "signal-not-a-reload" }]);
    expect(doubtSignal(nginx, hangUp)).toEqual([]);
  });
});
