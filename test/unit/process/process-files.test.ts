import { describe, expect, test } from "vitest";
import { parseProcessStat, parseProcessStatus, splitCommandLine } from "../../../src/process/process-files.ts";

const rest = "S 1 4711 10502 0 -1 4194304 136 0 0 0 0 0 0 0 20 0 1 0 86549 2990080 391";

describe("stat", () => {
  test("is read field by field", () => {
    expect(parseProcessStat(Buffer.from(`4711 (nginx) ${rest}\n`))).toEqual({
      comm: "nginx",
      state: "S",
      ppid: 1,
      processGroup: 4711,
      startTime: 86_549,
      isKernelThread: false,
    });
  });

  test("survives a name made to look like the fields after it", () => {
    const stat = parseProcessStat(Buffer.from(`4711 (a) R 9 9 (b) ${rest}\n`));
    expect([stat?.comm, stat?.ppid, stat?.startTime]).toEqual(["a) R 9 9 (b", 1, 86_549]);
  });

  test("survives a name with a line break", () => {
    expect(parseProcessStat(Buffer.from(`4711 (a\nb) ${rest}\n`))?.comm).toBe("a\nb");
  });

  test("knows a thread of the kernel by its flag", () => {
    const stat = parseProcessStat(Buffer.from("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0\n"));
    expect(stat?.isKernelThread).toBe(true);
  });

  test.each(["", "4711", "4711 (nginx", "4711 (nginx) ", "4711 (nginx) S 1 2"])("of %j is nothing", (text) => {
    expect(parseProcessStat(Buffer.from(text))).toBeUndefined();
  });
});

describe("status", () => {
  test("gives users, pid in the innermost namespace and signal masks", () => {
    const text = [
      "Name:\tnginx",
      "Uid:\t101\t102\t103\t104",
      "NSpid:\t4711\t12\t1",
      "Threads:\t3",
      "SigBlk:\t0000000000000001",
      "SigIgn:\t0000000040001000",
      "SigCgt:\t0000000198016a07",
    ].join("\n");
    expect(parseProcessStatus(text)).toEqual({
      uids: { real: 101, effective: 102, saved: 103 },
      namespacePid: 1,
      threads: 3,
      blockedSignals: 0x1n,
      ignoredSignals: 0x40001000n,
      caughtSignals: 0x198016a07n,
    });
  });

  test("without the lines that gVisor leaves out claims nothing", () => {
    expect(parseProcessStatus("Name:\tnginx\n")).toEqual({
      uids: undefined,
      namespacePid: undefined,
      threads: 1,
      blockedSignals: undefined,
      ignoredSignals: undefined,
      caughtSignals: undefined,
    });
  });
});

describe("cmdline", () => {
  test.each([
    ["nginx\0-g\0daemon off;\0", ["nginx", "-g", "daemon off;"]],
    ["nginx: master process nginx -g daemon off;\0", ["nginx: master process nginx -g daemon off;"]],
    ["nginx: worker process\0\0\0\0\0\0", ["nginx: worker process"]],
    ["postgres: checkpointer      ", ["postgres: checkpointer"]],
    ["sh\0-c\0\0true\0", ["sh", "-c", "", "true"]],
    ["", []],
  ])("%j is %j", (content, argv) => {
    expect(splitCommandLine(Buffer.from(content))).toEqual(argv);
  });
});
