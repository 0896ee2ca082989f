import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { readManifest } from "../support/manifest.ts";
import { startManifestPod } from "../support/manifest-pod.ts";
import { until } from "../support/until.ts";

const renewals = 50;
/** From one renewal to the next. */
const everyMs = 300;
const handshakesPerSecond = 210;
const mostSeconds = 150;

interface LoadReport {
  readonly handshakes: number;
  readonly perSecond: number;
  readonly failures: readonly { readonly afterMs: number; readonly failure: string }[];
}

test.each(["examples/nginx-workers", "examples/haproxy", "examples/apache"])(
  "no handshake of 200 a second fails in 50 renewals of %s",
  async (path) => {
    const authority = createAuthority();
    const issue = () => authority.issue({ names: ["pod.example"] });
    const [first, ...pairs] = await Promise.all(Array.from({ length: renewals + 1 }, issue));
    if (first === undefined) throw new Error("no pair was issued");
    const { pod, startServer, startAgent } = await startManifestPod(await readManifest(path));
    await pod.publish(first);
    await Promise.all([startServer(), startAgent({ "min-interval": "0s" })]);
    await pod.untilState("in-sync");
    const load = await pod.launch("load", {
      command: ["node", "/programs/load.mjs", "8443", `${handshakesPerSecond}`, `${mostSeconds}`],
    });

    for (const pair of pairs) {
      const startMs = performance.now();
      await pod.publish(pair);
      await pod.untilConfirmed(pair);
      await until(
        () => performance.now() - startMs,
        (passedMs) => passedMs >= everyMs,
      );
    }
    expect(await load.exitStatus(), "the load goes on to the end").toBeUndefined();
    await load.stop();

    const report = JSON.parse(await load.logs()) as LoadReport;
    expect(report.failures).toEqual([]);
    expect(report.perSecond).toBeGreaterThanOrEqual(200);
    expect(report.handshakes).toBeGreaterThanOrEqual((renewals * everyMs * 200) / 1000);
    expect(await pod.samples("certhup_rotations_total", { outcome: "confirmed" })).toMatchObject([{ value: renewals }]);
  },
);
