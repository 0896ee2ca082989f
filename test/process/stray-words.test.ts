import { expect, test } from "vitest";
import { certhup } from "../support/stage.ts";

const hint = "hint: quote values with blanks, and name each value's flag";

test("a word that belongs to no flag is told by its place, and not shown, as it may be a secret", async () => {
  const header = ["--reload-header", "Authorization:", "Bearer", "s3cr3t", "-t0k3n"];
  const args = ["run", "--cert-dir", "/s3cr3t", ...header, "--endpoint", "none", "--reload", "none"];
  const { status, standardOutput, standardError } = await certhup(args);
  expect({ status, standardOutput }).toEqual({ status: 2, standardOutput: "" });
  expect(standardError.trimEnd().split("\n")).toEqual([
    "error: --reload-header: word 6, behind this flag, belongs to no flag",
    hint,
    "error: --reload-header: word 7, behind this flag, belongs to no flag",
    hint,
    "error: --reload-header: word 8, behind this flag, belongs to no flag",
    hint,
  ]);
});

test("the place is right where the word is also the value of a flag", async () => {
  const { status, standardError } = await certhup(["health", "word", "--listen-address", "word", "word"]);
  expect(status).toBe(2);
  expect(standardError).toContain("error: word 2: belongs to no flag\n");
  expect(standardError).toContain("error: --listen-address: word 5, behind this flag, belongs to no flag\n");
});
