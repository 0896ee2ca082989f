import { expect, it } from "vitest";
import { describeProcess } from "../../../src/process/describe-process.ts";

it("a process is called what the kernel calls it", () => {
  expect(describeProcess({ pid: 7, comm: "nginx", argv: ["nginx: master process nginx"] })).toBe("nginx (pid 7)");
});

it("a Node program, which the kernel calls by its first thread, is called by its program file", () => {
  expect(describeProcess({ pid: 7, comm: "MainThread", argv: ["/usr/bin/node", "server.js"] })).toBe("node (pid 7)");
});

it("a process without arguments keeps the kernel's name, escaped", () => {
  expect(describeProcess({ pid: 7, comm: "a\u001b[2Jb" })).toBe("a\\x1b[2Jb (pid 7)");
});
