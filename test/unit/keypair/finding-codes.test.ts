import { expect, test } from "vitest";
import { createFinding, keypairFindingCodes } from "../../../src/keypair/finding-codes.ts";
import { vectors } from "../../vectors/read-vector.ts";

test("a finding has the severity of its code unless another is given, and a hint only when there is one", () => {
  expect(createFinding("untrusted", "no path")).toEqual({ code: "untrusted", severity: "warn", message: "no path" });
  expect(createFinding("untrusted", "no path", { severity: "refuse", hint: "look" })).toEqual({
    code: "untrusted",
    severity: "refuse",
    message: "no path",
    hint: "look",
  });
});

test("the codes of the vectors are in the list", () => {
  const codes = vectors.flatMap((vector) => vector.codes);
  expect(codes.filter((code) => !Object.hasOwn(keypairFindingCodes, code))).toEqual([]);
});
