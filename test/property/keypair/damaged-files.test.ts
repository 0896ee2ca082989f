import fc from "fast-check";
import { test } from "vitest";
import { damagedFilesProperty } from "./keypair-property.ts";

test("damaged files are judged without a throw, a hang or a key left behind, and only what OpenSSL loads passes", async () => {
  await fc.assert(damagedFilesProperty, { numRuns: 1500 });
});
