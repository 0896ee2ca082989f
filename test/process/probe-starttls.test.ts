import { networkInterfaces } from "node:os";
import { beforeAll, describe, expect, test } from "vitest";
import { createAuthority, type IssuedCertificate } from "../support/certificates.ts";
import { startDebianServer } from "../support/tls-server-debian.ts";
import { type DebianServerName, xmppDomain } from "../support/tls-server-debian-recipes.ts";
import { probe, probeFingerprint } from "../support/tls-server-probe.ts";
import { until } from "../support/until.ts";

const authority = createAuthority();
let pair: IssuedCertificate;

beforeAll(async () => {
  pair = await authority.issue({ names: ["mail.example", xmppDomain], keyType: "rsa-2048" });
});

interface Listener {
  readonly server: DebianServerName;
  /** Endpoints by the distance of their port from the first. */
  readonly endpoints: readonly ((port: number) => string)[];
}

const listeners: readonly Listener[] = [
  { server: "postfix", endpoints: [(port) => `smtp://127.0.0.1:${port}`] },
  { server: "dovecot", endpoints: [(port) => `imap://127.0.0.1:${port}`, (port) => `pop3://127.0.0.1:${port + 1}`] },
  { server: "vsftpd", endpoints: [(port) => `ftp://127.0.0.1:${port}`] },
  { server: "slapd", endpoints: [(port) => `ldap://127.0.0.1:${port}`] },
  { server: "postgresql", endpoints: [(port) => `postgres://127.0.0.1:${port}`] },
  { server: "mariadb", endpoints: [(port) => `mysql://127.0.0.1:${port}`] },
  {
    server: "prosody",
    endpoints: [
      (port) => `xmpp://127.0.0.1:${port}?servername=${xmppDomain}`,
      (port) => `xmpp-server://127.0.0.1:${port + 1}?servername=${xmppDomain}`,
    ],
  },
];

test.each(listeners)("$server shows its certificate after the prelude", async ({ server, endpoints }) => {
  await using running = await startDebianServer(server, pair);
  const addresses = endpoints.map((toAddress) => toAddress(running.port));
  const seen = await Promise.all(addresses.map((address) => probeFingerprint(address)));
  expect(seen).toEqual(addresses.map(() => pair.fingerprint));
});

describe("a server without a certificate says so in its own way", () => {
  test.each([
    ["postfix", "smtp", "offers no STARTTLS: is TLS configured there?"],
    ["dovecot", "imap", "refused STARTTLS"],
    ["vsftpd", "ftp", "refused AUTH TLS"],
    ["slapd", "ldap", "refused StartTLS with LDAP result"],
    ["postgresql", "postgres", "speaks no TLS: ssl is off in its configuration"],
    ["mariadb", "mysql", "offers no TLS: is ssl_cert configured there?"],
  ] as const)("%s", async (server, scheme, words) => {
    await using running = await startDebianServer(server, undefined);
    expect(await probe(`${scheme}://127.0.0.1:${running.port}?servername=${xmppDomain}`)).toMatchObject({
      kind: "unreachable",
      reason: "prelude-failed",
      detail: expect.stringContaining(`127.0.0.1:${running.port} ${words}`),
    });
  });
});

test("prosody without a certificate offers STARTTLS all the same and then breaks off", async () => {
  await using running = await startDebianServer("prosody", undefined);
  expect(await probe(`xmpp://127.0.0.1:${running.port}?servername=${xmppDomain}`)).toMatchObject({
    reason: "handshake-failed",
    detail: expect.stringContaining("no usable certificate (alert handshake_failure)"),
  });
});

test("prosody turns away a domain that it doesn't have", async () => {
  await using running = await startDebianServer("prosody", pair);
  expect(await probe(`xmpp://127.0.0.1:${running.port}?servername=other.example`)).toMatchObject({
    reason: "prelude-failed",
    detail: `127.0.0.1:${running.port} ended the stream: host-unknown (is other.example one of its domains?)`,
  });
});

test("mariadb does not block an address that probes it more often than max_connect_errors", async () => {
  await using running = await startDebianServer("mariadb", pair);
  const endpoint = `mysql://${findOwnAddress()}:${running.port}`;
  const seen = new Set<string>();
  for (let count = 0; count < 120; count++) {
    seen.add(await probeFingerprint(endpoint));
  }
  expect([...seen]).toEqual([pair.fingerprint]);
});

/** An address of this machine other than loopback: MariaDB counts no errors of 127.0.0.1. */
function findOwnAddress(): string {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === "IPv4" && !address.internal);
  if (own === undefined) {
    throw new Error("this machine has no IPv4 address besides loopback");
  }
  return own.address;
}

describe("nginx behind the PROXY protocol", () => {
  test.each(["v1", "v2"] as const)("shows its certificate to a probe with a %s header", async (version) => {
    await using running = await startDebianServer("nginx", pair);
    expect(await probeFingerprint(`127.0.0.1:${running.port + 1}?proxy=${version}`)).toBe(pair.fingerprint);
  });

  test("hangs up on a probe without one, and the PROXY protocol is named", async () => {
    await using running = await startDebianServer("nginx", pair);
    expect(await probe(`127.0.0.1:${running.port + 1}`)).toMatchObject({
      reason: "closed-early",
      detail: `127.0.0.1:${running.port + 1} closed the connection before ServerHello: does it expect the PROXY protocol (proxy=v1), or plain text?`,
    });
  });

  test("is not bothered: a probe leaves no error in its log", async () => {
    await using running = await startDebianServer("nginx", pair);
    await probe(`127.0.0.1:${running.port}`);
    // The next connection is logged after whatever there is to say about the probe.
    await probe(`127.0.0.1:${running.port + 1}`);
    const log = await until(running.readLog, (text) => text.includes("*4 broken header"));
    // The first two connections were those that waited for nginx to start.
    expect(log).not.toMatch(/\*3 .*SSL handshak/);
  });
});
