import { parseKeypair } from "../../src/keypair/parse-keypair.ts";
import { rehearse } from "../../src/keypair/rehearsal.ts";
import { systemClock } from "../../src/system/clock.ts";
import { createAuthority } from "../support/certificates.ts";
import { type Figure, median } from "./measure.ts";

const rounds = 40;

/** What judging a new pair costs before the server is told: parsing, and two handshakes in memory. */
export async function measureRehearsal(): Promise<readonly Figure[]> {
  const authority = createAuthority();
  const figures: Figure[] = [];
  for (const keyType of ["ec-p256", "rsa-2048"] as const) {
    const issued = await authority.issue({ names: ["www.example"], keyType });
    const read = (): ReturnType<typeof parseKeypair> =>
      parseKeypair({
        certificate: Buffer.from(issued.certificatePem),
        key: Buffer.from(issued.keyPem),
        ca: Buffer.from(issued.caPem),
      });
    const parsing: number[] = [];
    const rehearsing: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const startedMs = performance.now();
      const parsed = read();
      parsing.push(performance.now() - startedMs);
      if (parsed.kind !== "parsed") throw new Error(JSON.stringify(parsed.findings));
      const rehearsedMs = performance.now();
      await rehearse(parsed.keypair, { clock: systemClock, requireNames: ["www.example"] });
      rehearsing.push(performance.now() - rehearsedMs);
    }
    figures.push({ what: `keypair: parse ${keyType}`, unit: "ms", value: median(parsing) });
    figures.push({ what: `keypair: rehearse ${keyType}`, unit: "ms", value: median(rehearsing) });
  }
  return figures;
}
