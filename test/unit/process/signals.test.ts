import { describe, expect, test } from "vitest";
import { dispositionOf, parseSignal, runtimeThatCatchesAll } from "../../../src/process/signals.ts";
import { createProcTree, type FixtureProcess } from "../../support/proc-fixture.ts";
import { readProcess } from "../../support/read-process.ts";

const hangUp = { name: "SIGHUP", number: 1 } as const;

async function read(process: Omit<FixtureProcess, "pid" | "comm">) {
  await using tree = await createProcTree(1, [{ pid: 7, comm: "server", ...process }]);
  const found = await readProcess(7, tree.root);
  if (found === undefined) throw new Error("the fixture has no process 7");
  return found;
}

describe("a signal", () => {
  test.each(["SIGHUP", "HUP", "hup", "sighup", " 1 ", "01"])("is written %j", (text) => {
    expect(parseSignal(text)).toEqual({ kind: "signal", name: "SIGHUP", number: 1 });
  });

  test.each([
    ["USR2", "SIGUSR2", 12],
    ["10", "SIGUSR1", 10],
    ["6", "SIGABRT", 6],
    ["WINCH", "SIGWINCH", 28],
  ])("%s is %s", (text, name, number) => {
    expect(parseSignal(text)).toEqual({ kind: "signal", name, number });
  });

  test.each(["", "0", "99", "34", "SIGSIGHUP", "HUPP", "-1", "1.0", "toString", "SIGRTMIN"])("is never %j", (text) => {
    expect(parseSignal(text)).toMatchObject({ kind: "issue", hint: expect.stringContaining("SIGHUP") });
  });
});

describe("the disposition", () => {
  test("is caught with a handler", async () => {
    expect(dispositionOf(await read({ caught: [1, 15] }), hangUp)).toBe("caught");
  });

  test("is ignored by nohup's children", async () => {
    expect(dispositionOf(await read({ ignored: [1] }), hangUp)).toBe("ignored");
  });

  test("is the default without either", async () => {
    expect(dispositionOf(await read({ caught: [2], ignored: [13] }), hangUp)).toBe("default");
  });

  test("is caught where all threads block it for sigwait", async () => {
    expect(dispositionOf(await read({ blocked: [[1], [1, 2]] }), hangUp)).toBe("caught");
  });

  test("is the default where one thread doesn't block it", async () => {
    expect(dispositionOf(await read({ blocked: [[1], [2]] }), hangUp)).toBe("default");
  });

  test("is ignored by the first process of a namespace, which the kernel protects", async () => {
    expect(dispositionOf(await read({ namespacePid: 1 }), hangUp)).toBe("ignored");
    expect(dispositionOf(await read({ namespacePid: 1, caught: [1] }), hangUp)).toBe("caught");
  });

  test("of SIGKILL is the default for everyone", async () => {
    expect(dispositionOf(await read({ namespacePid: 1 }), { name: "SIGKILL", number: 9 })).toBe("default");
  });

  test("of SIGWINCH is harmless without a handler", async () => {
    expect(dispositionOf(await read({}), { name: "SIGWINCH", number: 28 })).toBe("ignored");
  });
});

describe("a runtime that catches every signal", () => {
  test("is Go, by the number of its handlers", async () => {
    const all = Array.from({ length: 64 }, (_, index) => index + 1).filter(
      (signal) => ![9, 19, 32, 33].includes(signal),
    );
    expect(runtimeThatCatchesAll(await read({ caught: all }))).toBe("Go");
  });

  test("is Java, by its program", async () => {
    expect(runtimeThatCatchesAll(await read({ argv: ["/opt/jdk/bin/java", "-jar", "a.jar"] }))).toBe("Java");
  });

  test("is Ruby, by its program's name though it has a title", async () => {
    await using tree = await createProcTree(1, [
      { pid: 7, comm: "ruby", argv: ["puma 6.4.0 (tcp://0.0.0.0:9292) [app]"] },
    ]);
    const found = await readProcess(7, tree.root);
    expect(found === undefined ? undefined : runtimeThatCatchesAll(found)).toBe("Ruby");
  });

  test("is no C server with some handlers", async () => {
    expect(runtimeThatCatchesAll(await read({ caught: [1, 2, 3, 10, 12, 14, 15, 17, 28, 29] }))).toBeUndefined();
  });
});
