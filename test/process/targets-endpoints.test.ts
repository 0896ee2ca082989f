import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { sampleOf, untilConfirmed, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import { createAuthority } from "../support/certificates.ts";
import { createStage, type Stage } from "../support/stage.ts";
import { nginxPair, nginxServer, startNginx } from "../support/staged-nginx.ts";
import { startAgentFor, targetOf, untilTarget } from "../support/staged-targets.ts";

const portOf = ({ endpoint }: Stage): string => endpoint.split(":").at(-1) ?? "";

test("two processes behind one port of which only one reloads are not confirmed, until the other one does, too", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const other = await stage.startServer(undefined, undefined, { reusePort: true });
  // The one that starts last owns the pid file.
  const told = await stage.startServer(undefined, undefined, { reusePort: true });
  const patient = ["--confirm", "7", "--stale-grace", "1s", "--verify-timeout", "1h"];
  const agent = await stage.startAgent(patient);
  await untilState(agent, "in-sync");

  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilState(agent, "stale");
  await untilLookedAgain(agent);
  expect([other.told(), told.told()]).toEqual([0, 1]);
  expect(await sampleOf(agent, "certhup_rotations_total", { outcome: "confirmed" })).toBe(0);

  other.kill("SIGHUP");
  await untilConfirmed(agent, renewed);
  expect(told.told()).toBe(1);
});

test("an nginx whose workers have a socket each is confirmed by one reload", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await startNginx(stage, [`listen ${stage.endpoint} ssl reuseport; ${nginxPair(stage.volume.directory)}`]);
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 1 });
});

test("localhost is in sync once 127.0.0.1 and ::1 both serve the new certificate", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const six = await stage.startServer(undefined, undefined, { host: "::1" });
  await stage.startServer();
  const endpoint = `localhost:${portOf(stage)}`;
  const agent = await startAgentFor([
    targetOf(stage, { name: "both", endpoint, staleGrace: "1s", verifyTimeout: "1h" }),
  ]);
  await untilTarget(agent, "both", "in-sync");
  const renewed = await stage.issue();
  await stage.publish(renewed);
  await untilTarget(agent, "both", "stale", new RegExp(endpoint));
  const [shown] = (await agent.status()).targets[0].endpoints;
  const fingerprints = [shown.served, ...shown.alsoServed].map((certificate) => certificate.fingerprint);
  expect(fingerprints).toHaveLength(2);
  expect(fingerprints).toContain(renewed.fingerprint);

  six.kill("SIGHUP");
  await untilConfirmed(agent, renewed);
  await untilTarget(agent, "both", "in-sync");
});

test("of an RSA and an ECDSA certificate on one port each follows its own volume", async () => {
  const [rsa, ecdsa] = [await createStage(), await createStage()];
  const first = await rsa.issue({ keyType: "rsa-2048" });
  await rsa.publish(first);
  await ecdsa.publish(await ecdsa.issue({ keyType: "ec-p256" }));
  await startNginx(rsa, [`${nginxServer(rsa)} ${nginxPair(ecdsa.volume.directory)}`]);
  const [, , , pidFile = ""] = rsa.target;
  const { endpoint } = rsa;
  const agent = await startAgentFor([
    targetOf(rsa, { name: "rsa", reload: "nginx" }),
    targetOf(ecdsa, { name: "ecdsa", reload: "nginx", endpoint, pidFile }),
  ]);
  await untilTarget(agent, "rsa", "in-sync");
  await untilTarget(agent, "ecdsa", "in-sync");

  const renewed = await ecdsa.issue({ keyType: "ec-p256" });
  await ecdsa.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ target: "ecdsa", reloads: 1 });
  await untilTarget(agent, "rsa", "in-sync");
  const { targets } = await agent.status();
  expect(targets.map(({ endpoints }: { endpoints: [{ served: object }] }) => endpoints[0].served)).toMatchObject([
    { fingerprint: first.fingerprint, keyType: "rsa" },
    { fingerprint: renewed.fingerprint, keyType: "ec-p256" },
  ]);
  expect(await sampleOf(agent, "certhup_reloads_total", { target: "rsa" })).toBe(0);
});

test.for(["TLSv1.2", "TLSv1.3"])(
  "a server that wants a client certificate under %s is confirmed without one",
  async (version) => {
    const stage = await createStage();
    await stage.publish(await stage.issue());
    const mutual = { requestCert: true, rejectUnauthorized: true, ca: await stage.caPem() };
    await stage.startServer(undefined, undefined, { ...mutual, minVersion: version, maxVersion: version });
    const agent = await stage.startAgent();
    await untilState(agent, "in-sync");
    const renewed = await stage.issue();
    await stage.publish(renewed);
    expect(await untilConfirmed(agent, renewed)).toMatchObject({ reloads: 1 });
    expect((await agent.status()).targets[0].endpoints).toMatchObject([{ verdict: "match", protocol: version }]);
  },
);

test("a client certificate is shown to the server that wants one, and a file that is away is named", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const clients = createAuthority({ name: "clients" });
  const client = await clients.issue({ names: ["certhup.example"] });
  const mutual = { requestCert: true, rejectUnauthorized: true, ca: client.caPem };
  await stage.startServer(undefined, undefined, mutual);
  const file = join(dirname(stage.volume.directory), "client.pem");
  await writeFile(file, client.certificatePem + client.keyPem);
  const endpoint = `tls://${stage.endpoint}?client-cert=${file}&client-key=${file}`;
  const agent = await startAgentFor([
    targetOf(stage, { name: "shown", endpoint }),
    targetOf(stage, { name: "away", endpoint: endpoint.replaceAll("client.pem", "gone.pem") }),
  ]);
  await untilTarget(agent, "shown", "in-sync");
  await untilTarget(agent, "away", "unreachable", /gone\.pem/);
});

test.for(["v1", "v2"])("an nginx behind PROXY %s is confirmed through the header", async (version) => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await startNginx(stage, [`listen ${stage.endpoint} ssl proxy_protocol; ${nginxPair(stage.volume.directory)}`]);
  const agent = await startAgentFor([
    targetOf(stage, { name: "proxied", reload: "nginx", endpoint: `${stage.endpoint}?proxy=${version}` }),
    targetOf(stage, { name: "plain", reload: "none", endpoint: stage.endpoint }),
  ]);
  await untilTarget(agent, "proxied", "in-sync");
  await untilTarget(agent, "plain", "unreachable", /PROXY/);
  const renewed = await stage.issue();
  await stage.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ target: "proxied", reloads: 1 });
});

test("of two sites on one port only the renewed one is told, and a name that nobody serves is no certificate", async () => {
  const [a, b] = [await createStage(), await createStage()];
  await a.publish(await a.issue({ names: ["a.example"] }));
  await b.publish(await b.issue({ names: ["b.example"] }));
  const site = (stage: Stage, name: string): string =>
    `listen ${a.endpoint} ssl; server_name ${name}; ${nginxPair(stage.volume.directory)}`;
  await startNginx(a, [
    `listen ${a.endpoint} ssl default_server; ssl_reject_handshake on;`,
    site(a, "a.example"),
    site(b, "b.example"),
  ]);
  const [, , , pidFile = ""] = a.target;
  const { endpoint } = a;
  const agent = await startAgentFor([
    targetOf(a, { name: "a", reload: "nginx" }),
    // The name to ask for is the certificate's own.
    targetOf(b, { name: "b", reload: "nginx", endpoint, pidFile }),
    targetOf(b, { name: "other", reload: "none", endpoint: `tls://${endpoint}?servername=c.example`, pidFile }),
  ]);
  await untilTarget(agent, "a", "in-sync");
  await untilTarget(agent, "b", "in-sync");
  await untilTarget(agent, "other", "unreachable", /c\.example|name/);

  const renewed = await b.issue({ names: ["b.example"] });
  await b.publish(renewed);
  expect(await untilConfirmed(agent, renewed)).toMatchObject({ target: "b", reloads: 1 });
  await untilTarget(agent, "a", "in-sync");
  expect(await sampleOf(agent, "certhup_reloads_total", { target: "a" })).toBe(0);
});
