import { expect, test } from "vitest";
import { permitRestart } from "../../../src/agent/restart-permission.ts";

const config = { restartMinIntervalMs: 900_000, allowSubPath: false };
const subPath = {
  code: "subpath-mount",
  severity: "refuse",
  message: "/x is a subPath mount",
  hint: "mount all",
} as const;
const other = { code: "file-mount", severity: "warn", message: "/x is a single file" } as const;

test("what has run for long enough may be restarted", () => {
  expect(permitRestart("the server", 900_000, config, [other])).toEqual({ kind: "granted" });
});

test("what is young is restarted later, and told when", () => {
  expect(permitRestart("the agent", 60_400, config, [])).toEqual({
    kind: "withheld",
    reason: "restart-too-soon",
    detail: "the agent runs for 60s only, and is restarted after 900s at the earliest",
    retryAfterMs: 839_600,
  });
});

test("under a subPath mount nothing is restarted, however old, unless that was asked for", () => {
  expect(permitRestart("the server", 1e9, config, [other, subPath])).toEqual({
    kind: "withheld",
    reason: "subpath-mount",
    detail: "/x is a subPath mount; a restarted container might not start again",
    hint: "mount all",
  });
  expect(permitRestart("the server", 1e9, { ...config, allowSubPath: true }, [subPath])).toEqual({ kind: "granted" });
});
