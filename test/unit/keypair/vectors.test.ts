import { describe, expect, test } from "vitest";
import { parseKeypair } from "../../../src/keypair/parse-keypair.ts";
import { rehearse } from "../../../src/keypair/rehearsal.ts";
import { validateKeypair } from "../../../src/keypair/validate-keypair.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { defaultKeypairPolicy } from "../../support/keypair-policy.ts";
import { readVector, vectors } from "../../vectors/read-vector.ts";
import { vectorNowMs } from "../../vectors/vector.ts";

/** What the rehearsal adds to the vectors that parsing and validation let through. */
const rehearsedCodes: Readonly<Record<string, readonly string[]>> = {
  "key-secp256k1": ["rehearsal-refused"],
  "key-brainpool": ["rehearsal-tls12"],
  "leaf-any-usage": ["rehearsal-untrusted"],
  "leaf-no-digital-signature": ["rehearsal-tls12"],
};

describe("every vector gets exactly its findings", () => {
  test.each(vectors)("$name is $verdict", ({ name, verdict, codes }) => {
    const parsed = parseKeypair(readVector(name));
    const findings = [
      ...parsed.findings,
      ...(parsed.kind === "parsed"
        ? validateKeypair(parsed.keypair, defaultKeypairPolicy, vectorNowMs, undefined)
        : []),
    ];
    expect(findings.map(({ code }) => code).sort()).toEqual([...codes].sort());
    const severities = findings.map(({ severity }) => severity);
    const judged = severities.includes("refuse") ? "refused" : severities.includes("hold") ? "held" : "accepted";
    expect(judged).toBe(verdict);
  });
});

describe("the rehearsal adds to what reading found only what reading can't find", () => {
  test.each(vectors.filter(({ verdict }) => verdict === "accepted"))("$name", async ({ name }) => {
    const parsed = parseKeypair(readVector(name));
    if (parsed.kind !== "parsed") {
      throw new Error("the vector is not accepted");
    }
    const { keypair } = parsed;
    const known = validateKeypair(keypair, defaultKeypairPolicy, vectorNowMs, undefined);
    const findings = await rehearse(keypair, { clock: systemClock, known });
    expect(findings.map(({ code }) => code)).toEqual(rehearsedCodes[name] ?? []);
  });
});
