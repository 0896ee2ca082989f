import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, asyncProperty, assert as check, constantFrom, integer, record } from "fast-check";
import { test } from "vitest";
import { readVolume } from "../../../src/volume/read-volume.ts";
import { createSecretVolume } from "../../support/secret-volume.ts";
import { requestFor } from "../../unit/volume/scratch.ts";

const publication = record({ version: integer({ min: 1, max: 4 }), diesAfter: integer({ min: 0, max: 14 }) });

async function readVersions(directory: string): Promise<readonly string[] | undefined> {
  const read = await readVolume(requestFor(directory, { caFile: undefined }));
  return read.kind === "read" ? [read.certificate.toString(), read.key?.toString() ?? ""] : undefined;
}

test("whatever is published, and wherever a writer dies, a look shows the last pair that was renamed into place", async () => {
  await check(
    asyncProperty(constantFrom("current", "old"), array(publication, { maxLength: 6 }), async (order, publications) => {
      const directory = await mkdtemp(join(tmpdir(), "certhup-property-"));
      try {
        const volume = await createSecretVolume(directory, { order });
        await volume.publish({ "tls.crt": "0", "tls.key": "0" });
        let expected = "0";
        for (const { version, diesAfter } of publications) {
          const steps = volume.steps({ "tls.crt": String(version), "tls.key": String(version) });
          for (let step = 0; step < diesAfter; step++) {
            const { value, done } = await steps.next();
            if (done === true) break;
            if (value === "data-link-renamed") expected = String(version);
            const [certificate, key] = (await readVersions(directory)) ?? [];
            if (certificate !== expected || key !== expected) {
              throw new Error(`after ${value}: ${certificate} and ${key} instead of ${expected}`);
            }
          }
        }
      } finally {
        await rm(directory, { recursive: true });
      }
    }),
    { numRuns: 60 },
  );
});
