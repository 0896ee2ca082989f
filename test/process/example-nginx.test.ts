import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { bundle } from "../support/agent.ts";
import { createAuthority, type IssuedCertificate } from "../support/certificates.ts";
import { findFreePort } from "../support/free-port.ts";
import { readManifest } from "../support/manifest.ts";
import { shakeHands } from "../support/pod-answers.ts";
import { createSecretVolume } from "../support/secret-volume.ts";
import { startSharedProcesses } from "../support/shared-processes.ts";
import { until } from "../support/until.ts";

test("the flags and the nginx.conf of examples/nginx rotate a pair, as the user of the manifest", async () => {
  const { pod, agent: certhup, server: nginx, configMaps } = await readManifest("examples/nginx");
  const [{ "nginx.conf": nginxConfiguration = "" } = {}] = configMaps.values();
  const directory = await mkdtemp(join(tmpdir(), "certhup-example-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const port = await findFreePort();
  // Only paths and ports are others than in the manifests.
  const remap = (text: string): string =>
    text
      .replaceAll(/(?<![\w.])\/(certs|config|tmp)(?=\/|;|$)/gm, `${directory}/$1`)
      .replaceAll("listen 8443", `listen 127.0.0.1:${port}`)
      .replaceAll("127.0.0.1:8443", `127.0.0.1:${port}`);
  for (const name of ["config", "tmp"]) await mkdir(join(directory, name));
  await writeFile(join(directory, "config", "nginx.conf"), remap(nginxConfiguration));
  const volume = await createSecretVolume(join(directory, "certs"));
  const authority = createAuthority();
  const publish = async (): Promise<IssuedCertificate> => {
    const pair = await authority.issue({ names: ["www.example.com"] });
    await volume.publish({ "tls.crt": pair.certificatePem, "tls.key": pair.keyPem, "ca.crt": pair.caPem });
    return pair;
  };
  const untilServed = (pair: IssuedCertificate): Promise<unknown> =>
    until(
      () => shakeHands({ host: "127.0.0.1", port }),
      (handshake) => "fingerprint" in handshake && handshake.fingerprint === pair.fingerprint,
    );

  const first = await publish();
  const processes = startSharedProcesses(pod.securityContext.runAsUser ?? 0);
  processes.run([process.execPath, bundle, ...(certhup.args ?? []).map(remap), "--listen-address=127.0.0.1:0"]);
  const [, url] = await processes.untilOutput(/"event":"started".*"address":"([^"]+)"/);
  const ask = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
    const response = await fetch(`${url}${path}`);
    return { status: response.status, text: await response.text() };
  };
  await until(
    () => ask("/startupz"),
    ({ status }) => status === 200,
  );
  expect(await ask("/readyz")).toMatchObject({ status: 503 });

  processes.run((nginx.command ?? []).map(remap));
  await untilServed(first);
  await until(
    () => ask("/readyz"),
    ({ status, text }) => status === 200 && text.startsWith("default: in-sync: "),
  );

  const renewed = await publish();
  await untilServed(renewed);
  await processes.untilOutput(new RegExp(`"event":"rotation-ended".*"fingerprint":"${renewed.fingerprint}"`));
  expect(await ask("/readyz")).toMatchObject({ status: 200, text: expect.stringContaining("default: in-sync: ") });
  const status = JSON.parse((await ask("/status")).text);
  expect(status.targets[0].rotations).toMatchObject([
    { outcome: "confirmed", fingerprint: renewed.fingerprint, reloads: 1 },
  ]);
  expect(status.targets[0].preflight).toEqual([]);
});
