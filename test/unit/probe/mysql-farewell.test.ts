import { expect, test } from "vitest";
import { createPreludeRun, type PreludeState } from "../../../src/probe/prelude-run.ts";
import { createMysqlFarewell } from "../../../src/probe/preludes/mysql-farewell.ts";

function play(replies: readonly string[]): { said: string[]; state: PreludeState } {
  const said: string[] = [];
  const run = createPreludeRun(createMysqlFarewell(), (bytes) => said.push(bytes.toString("hex")));
  let state = run.receive(Buffer.alloc(0));
  for (const reply of replies) {
    state = run.receive(Buffer.from(reply, "hex"));
  }
  return { said: said.slice(1), state };
}

test("a denied login ends the talk", () => {
  expect(play(["03000003ff1504"])).toEqual({ said: [], state: { kind: "ready" } });
});

test("another authentication plugin gets an empty password until the login is denied", () => {
  const cachingSha2 = Buffer.from("\xfecaching_sha2_password\0", "latin1").toString("hex");
  expect(play([`17000003${cachingSha2}`, "020000050104", "03000007ff1504"])).toEqual({
    said: ["0100000400", "0100000600"],
    state: { kind: "ready" },
  });
});

test("a login that succeeds is closed at once", () => {
  expect(play(["0700000300000002000000"])).toEqual({ said: ["0100000001"], state: { kind: "ready" } });
});

test("a server that asks for ever is left after six exchanges", () => {
  const { said, state } = play(Array.from({ length: 20 }, () => "020000050104"));
  expect({ count: said.length, state }).toEqual({ count: 6, state: { kind: "ready" } });
});
