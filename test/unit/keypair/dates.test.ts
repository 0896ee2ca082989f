import { expect, test } from "vitest";
import { holdUntilMs, nextVerdictChangeMs } from "../../../src/keypair/judge-dates.ts";
import type { Keypair } from "../../../src/keypair/keypair.ts";
import type { KeypairPolicy } from "../../../src/keypair/keypair-policy.ts";
import { parseKeypair } from "../../../src/keypair/parse-keypair.ts";
import { validateKeypair } from "../../../src/keypair/validate-keypair.ts";
import { createAuthority } from "../../support/certificates.ts";
import { defaultKeypairPolicy } from "../../support/keypair-policy.ts";

const secondMs = 1000;
const hourMs = 3_600_000;
const startMs = Date.UTC(2027, 0, 1);
const endMs = startMs + 24 * hourMs;
const policy: KeypairPolicy = { ...defaultKeypairPolicy, minValidityMs: hourMs };
const keypair = await issue();

async function issue(): Promise<Keypair> {
  const { certificatePem, keyPem } = await createAuthority().issue({
    names: ["a.example"],
    notBefore: new Date(startMs),
    notAfter: new Date(endMs),
  });
  const parsed = parseKeypair({ certificate: Buffer.from(certificatePem), key: Buffer.from(keyPem) });
  if (parsed.kind !== "parsed") {
    throw new Error("the pair is not usable");
  }
  return parsed.keypair;
}

function codesAt(nowMs: number): readonly string[] {
  return validateKeypair(keypair, policy, nowMs, undefined).map(({ code }) => code);
}

test("a leaf that begins within the clock skew is held until it does", () => {
  expect(codesAt(startMs - 300 * secondMs)).toEqual(["held-until-valid"]);
  expect(codesAt(startMs - 1)).toEqual(["held-until-valid"]);
  expect(holdUntilMs(keypair)).toBe(startMs);
  expect(codesAt(startMs)).toEqual([]);
});

test("a leaf that begins later than the clock skew is refused", () => {
  expect(codesAt(startMs - 300 * secondMs - 1)).toEqual(["not-yet-valid"]);
});

test("a leaf with less than the minimum validity left is refused, with the time left", () => {
  expect(codesAt(endMs - hourMs)).toEqual([]);
  const [finding] = validateKeypair(keypair, policy, endMs - hourMs / 2, undefined);
  expect(finding).toEqual({
    code: "too-little-validity",
    severity: "refuse",
    message: "the leaf ends at 2027-01-02T00:00:00.000Z, in 30m; at least 1h are asked for",
    hint: "renew earlier, or lower --min-validity",
  });
});

test("from its end on the leaf is expired and nothing else", () => {
  expect(codesAt(endMs - 1)).toEqual(["too-little-validity"]);
  expect(codesAt(endMs)).toEqual(["expired"]);
});

test("following the next change of the verdict meets every verdict in turn", () => {
  const seen: string[][] = [];
  let nowMs: number | undefined = startMs - 1000 * hourMs;
  while (nowMs !== undefined) {
    seen.push([...codesAt(nowMs)]);
    nowMs = nextVerdictChangeMs(keypair, policy, nowMs);
  }
  expect(seen).toEqual([["not-yet-valid"], ["held-until-valid"], [], ["too-little-validity"], ["expired"]]);
});
