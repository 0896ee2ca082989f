import { expect, test } from "vitest";
import { createRestartOnce } from "../../../src/agent/restart-once.ts";
import type { ReloadOutcome } from "../../../src/core/reload-outcome.ts";
import type { RestartCandidate } from "../../../src/reload/restart.ts";
import type { Clock } from "../../../src/system/clock.ts";

const never = new AbortController().signal;
const forgetMs = 60_000;

/** A guard whose strategy asks for this candidate and ends like this, at a time that is moved by hand. */
function createGuarded() {
  let nowMs = 1_000_000;
  const clock: Clock = { now: () => ({ monotonicMs: nowMs, wallMs: nowMs }), after: () => () => undefined };
  const once = createRestartOnce(clock, forgetMs, async () => ({ kind: "granted" }));
  const reload = async (candidate: RestartCandidate, outcome: ReloadOutcome) => {
    const permission = await once.permit(candidate);
    if (permission.kind === "withheld") return permission;
    await once.watch({ name: "restart", prepare: async () => [], reload: async () => outcome }).reload(never);
    return permission;
  };
  const pass = (durationMs: number): void => {
    nowMs += durationMs;
  };
  return { reload, pass };
}

const slow: ReloadOutcome = { kind: "timed-out", afterMs: 500 };

test("a server that was told to end and hasn't is not told again, until that is long ago", async () => {
  const { reload, pass } = createGuarded();
  expect(await reload({ pid: 7, ageMs: 900_000 }, slow)).toEqual({ kind: "granted" });
  pass(9_500);
  expect(await reload({ pid: 7, ageMs: 910_000 }, slow)).toEqual({
    kind: "withheld",
    reason: "restart-in-progress",
    detail: "the server (pid 7) was told to end 10s ago and has not ended yet",
    hint: expect.stringContaining("--restart-kill"),
    retryAfterMs: 50_000,
  });
  pass(50_000);
  expect(await reload({ pid: 7, ageMs: 960_000 }, slow)).toEqual({ kind: "granted" });
});

test("another process under the same pid is another server", async () => {
  const { reload, pass } = createGuarded();
  await reload({ pid: 7, ageMs: 900_000 }, slow);
  pass(10_000);
  expect(await reload({ pid: 7, ageMs: 5_000 }, slow)).toEqual({ kind: "granted" });
});

test("a server that ended is not remembered", async () => {
  const { reload, pass } = createGuarded();
  await reload({ pid: 7, ageMs: 900_000 }, { kind: "accepted", detail: "ended" });
  pass(1_000);
  expect(await reload({ pid: 7, ageMs: 901_000 }, slow)).toEqual({ kind: "granted" });
});
