import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WorksWith } from "../../scripts/docs/works-with-table.ts";
import { createAuthority } from "../support/certificates.ts";
import { watchGap } from "../support/gap-watch.ts";
import { readManifest } from "../support/manifest.ts";
import { startManifestPod } from "../support/manifest-pod.ts";
import type { PodContainer } from "../support/pod-container.ts";
import { superviseRestarts } from "../support/restart-supervisor.ts";

/** Where scripts/works-with.ts finds what was seen. */
const resultsDirectory = ".cache/works-with";

interface Case {
  readonly server: string;
  readonly manifest: string;
  readonly strategy: string;
  /** Prints the version. */
  readonly version: readonly string[];
}

const debian = (name: string) => ["dpkg-query", "--show", "--showformat=$" + "{source:Upstream-Version}", name];

const cases: readonly Case[] = [
  { server: "nginx", manifest: "examples/nginx", strategy: "signal HUP", version: debian("nginx") },
  { server: "nginx", manifest: "examples/nginx-workers", strategy: "nginx", version: debian("nginx") },
  { server: "HAProxy", manifest: "examples/haproxy", strategy: "signal USR2", version: debian("haproxy") },
  {
    server: "HAProxy",
    manifest: "examples/haproxy-runtime",
    strategy: "exec (admin socket)",
    version: debian("haproxy"),
  },
  { server: "Apache httpd", manifest: "examples/apache", strategy: "signal USR1", version: debian("apache2-bin") },
  {
    server: "lighttpd",
    manifest: "test/pods/servers/lighttpd.yaml",
    strategy: "signal USR1",
    version: debian("lighttpd"),
  },
  { server: "hitch", manifest: "test/pods/servers/hitch.yaml", strategy: "signal HUP", version: debian("hitch") },
  {
    server: "stunnel",
    manifest: "test/pods/servers/stunnel.yaml",
    strategy: "signal HUP",
    version: debian("stunnel4"),
  },
  { server: "Caddy", manifest: "examples/caddy-http", strategy: "http (admin endpoint)", version: debian("caddy") },
  { server: "PostgreSQL", manifest: "examples/postgresql", strategy: "signal HUP", version: debian("postgresql-15") },
  {
    server: "MariaDB",
    manifest: "examples/mariadb",
    strategy: "exec (FLUSH SSL)",
    version: debian("mariadb-server-core"),
  },
  { server: "Redis", manifest: "examples/redis", strategy: "exec (CONFIG SET)", version: debian("redis-server") },
  { server: "Mosquitto", manifest: "examples/mosquitto", strategy: "signal HUP", version: debian("mosquitto") },
  { server: "Postfix", manifest: "test/pods/servers/postfix.yaml", strategy: "signal HUP", version: debian("postfix") },
  {
    server: "Dovecot",
    manifest: "test/pods/servers/dovecot.yaml",
    strategy: "signal HUP",
    version: debian("dovecot-core"),
  },
  { server: "slapd", manifest: "test/pods/servers/slapd.yaml", strategy: "restart", version: debian("slapd") },
  { server: "Node", manifest: "test/pods/servers/node.yaml", strategy: "signal HUP", version: ["node", "--version"] },
  {
    server: "Go",
    manifest: "test/pods/servers/go.yaml",
    strategy: "signal HUP",
    version: ["cat", "/usr/local/bin/go-version"],
  },
  {
    server: "Python",
    manifest: "test/pods/servers/python.yaml",
    strategy: "signal HUP",
    version: ["python3", "--version"],
  },
];

test.each(cases)("$server follows three renewals by $strategy", async ({ server, manifest, strategy, version }) => {
  const authority = createAuthority();
  const issue = () => authority.issue({ names: ["pod.example"] });
  const { pod, startServer, startAgent, shakeHands } = await startManifestPod(await readManifest(manifest));
  const first = await issue();
  await pod.publish(first);
  const [running] = await Promise.all([startServer(), startAgent({ "min-interval": "0s" })]);
  await using _ = superviseRestarts(running, { timesFaster: 1000 });
  await pod.untilState("in-sync");
  expect(await shakeHands()).toEqual({ fingerprint: first.fingerprint });

  const watch = watchGap(shakeHands);
  for (const renewed of [await issue(), await issue(), await issue()]) {
    await pod.publish(renewed);
    await pod.untilConfirmed(renewed);
    expect(await shakeHands()).toEqual({ fingerprint: renewed.fingerprint });
  }
  const { handshakes, failures, longestMs } = await watch.stop();

  const { readiness, rotations, endpoints } = await pod.status();
  expect(readiness).toMatchObject({ ready: true, state: "in-sync" });
  expect(rotations).toMatchObject(Array.from({ length: 3 }, () => ({ outcome: "confirmed", reloads: 1 })));
  expect(handshakes).toBeGreaterThan(0);
  expect(longestMs, failures.join("\n")).toBeLessThan(strategy === "restart" ? 10_000 : 1_000);
  await record(manifest, {
    server,
    strategy,
    endpoint: describeEndpoint(endpoints[0]?.endpoint ?? ""),
    failedHandshakes: failures.length,
    gapMs: Math.round(longestMs),
    version: await readVersion(running, version),
  });
});

function describeEndpoint(endpoint: string): string {
  const [, scheme] = /^(\w+):\/\//.exec(endpoint) ?? [];
  return scheme === undefined || scheme === "tls" ? "TLS" : `STARTTLS (${scheme})`;
}

async function readVersion(container: PodContainer, command: readonly string[]): Promise<string> {
  const { output } = await container.exec(command);
  return /\d+(?:\.\d+)+/.exec(output)?.[0] ?? output.trim();
}

async function record(manifest: string, result: WorksWith): Promise<void> {
  await mkdir(resultsDirectory, { recursive: true });
  const file = `${manifest.replace(/\.yaml$/, "").replaceAll("/", "-")}.json`;
  await writeFile(join(resultsDirectory, file), `${JSON.stringify(result)}\n`);
}
