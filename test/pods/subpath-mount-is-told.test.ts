import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { startPod } from "../support/pod.ts";
import { until } from "../support/until.ts";

test("files that the server's container mounts one by one are told at the start, and as the first reason once stale", async () => {
  const authority = createAuthority();
  const first = await authority.issue({ names: ["pod.example"] });
  const renewed = await authority.issue({ names: ["pod.example"] });
  const pod = await startPod();
  await pod.publish(first);
  // What the kubelet makes of a subPath: a mount of the file that is there when the container starts.
  const mounts = await Promise.all(
    ["tls.crt", "tls.key"].map(async (name) => ({
      source: await realpath(join(pod.volume.directory, name)),
      target: `/certs/${name}`,
      mode: "ro" as const,
    })),
  );
  await pod.launch("nginx", { mounts, scratch: ["/tmp"] });
  const agent = await pod.startAgent({
    reload: "signal,restart",
    "reload-attempts": "1",
    "verify-timeout": "1s",
    "stale-grace": "2s",
    jitter: "0s",
  });
  await pod.untilState("in-sync");
  expect(await pod.samples("certhup_subpath_mount")).toMatchObject([{ value: 1 }]);
  expect(await agent.logs()).toContain("subpath-mount");

  await pod.publish(renewed);
  const { readiness } = await pod.untilState("stale");
  expect(readiness.reason).toMatch(/^in the container of nginx .*\/certs\/tls\.(crt|key)/);
  expect(await pod.ask("/readyz")).toMatchObject({ status: 503 });
  expect(await pod.shakeHands()).toEqual({ fingerprint: first.fingerprint });
  // A restarted container might not start again, as the file behind its mount is gone.
  await until(
    () => agent.logs(),
    (logs) => /"strategy":"restart","outcome":"refused".*"reason":"subpath-mount"/.test(logs),
  );
});
