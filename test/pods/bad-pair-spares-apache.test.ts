import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { readManifest } from "../support/manifest.ts";
import { startManifestPod } from "../support/manifest-pod.ts";

test("a pair that would end Apache httpd at a graceful restart never makes it restart", async () => {
  const authority = createAuthority();
  const [first, other, renewed] = [
    await authority.issue({ names: ["pod.example"] }),
    await authority.issue({ names: ["pod.example"] }),
    await authority.issue({ names: ["pod.example"] }),
  ];
  const { pod, startServer, startAgent } = await startManifestPod(await readManifest("examples/apache"));
  await pod.publish(first);
  const [httpd] = await Promise.all([startServer(), startAgent({ "min-interval": "0s" })]);
  await pod.untilState("in-sync");

  await pod.publish({ certificatePem: other.certificatePem, keyPem: first.keyPem });
  await pod.untilState("refused");
  expect(await pod.shakeHands()).toEqual({ fingerprint: first.fingerprint });
  await pod.publish(renewed);
  await pod.untilConfirmed(renewed);
  expect((await httpd.logs()).match(/SIGUSR1 received/g)).toHaveLength(1);

  // What it was spared.
  await pod.publish({ certificatePem: other.certificatePem, keyPem: first.keyPem });
  await httpd.kill("SIGUSR1");
  expect(await httpd.ended()).toBe(1);
  expect(await httpd.logs()).toContain("Configuration Failed, exiting");
});
