import type { Socket } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { startBusyServer } from "../../support/busy-server.ts";
import { createAuthority, type IssuedCertificate } from "../../support/certificates.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { type OddServer, startOddServer } from "../../support/odd-server.ts";
import { startTlsServer } from "../../support/tls-server.ts";
import { probe } from "../../support/tls-server-probe.ts";
import { until } from "../../support/until.ts";

const authority = createAuthority();
let pair: IssuedCertificate;

beforeAll(async () => {
  pair = await authority.issue({ names: ["www.example.com"] });
});

/** A TLS record that holds a fatal alert. */
function alert(code: number): Buffer {
  return Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, code]);
}

/** Sends the pieces one by one, each when the one before is on its way, until the other side hangs up. */
function pour(socket: Socket, piece: Buffer | string): void {
  const next = (): void => {
    if (!socket.destroyed) {
      socket.write(piece, () => setImmediate(next));
    }
  };
  next();
}

describe("a server's first answer", () => {
  test.each<[string, (socket: Socket) => void, string, RegExp]>([
    [
      "an HTTP error",
      (s) => s.once("data", () => s.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
      "not-tls",
      /plain-text port/,
    ],
    ["an SMTP greeting", (s) => s.write("220 mail ESMTP\r\n"), "not-tls", /smtp:\/\//],
    ["garbage", (s) => s.write(Buffer.alloc(70_000, 7)), "not-tls", /^not TLS on this port/],
    [
      "a record of 64 KiB",
      (s) => s.write(Buffer.from([22, 3, 3, 255, 255, 2])),
      "handshake-failed",
      /data length too long$/,
    ],
    ["a reset", (s) => s.once("data", () => s.resetAndDestroy()), "closed-early", /before ServerHello.*PROXY/],
    ["its end", (s) => s.end(), "closed-early", /before ServerHello.*PROXY/],
    [
      "half a ServerHello",
      (s) => s.end(Buffer.from([22, 3, 3, 0, 80, 2, 0, 0, 76, 3, 3])),
      "closed-early",
      /in the middle/,
    ],
    [
      "alert handshake_failure",
      (s) => s.write(alert(40)),
      "handshake-failed",
      /no shared cipher or signature algorithm/,
    ],
    ["alert protocol_version", (s) => s.write(alert(70)), "handshake-failed", /no TLS version in common/],
    ["alert internal_error", (s) => s.write(alert(80)), "handshake-failed", /look at its error log/],
    ["alert unrecognized_name", (s) => s.write(alert(112)), "server-name-rejected", /a handshake without SNI/],
    ["an alert that nobody knows, and its end", (s) => s.end(alert(200)), "closed-early", /in the middle/],
  ])("being %s has words of its own", async (_what, behave, reason, detail) => {
    await using server = await startOddServer(behave);
    expect(await probe(server.address)).toMatchObject({
      kind: "unreachable",
      reason,
      detail: expect.stringMatching(detail),
    });
    await until(
      () => server.sockets.size,
      (open) => open === 0,
    );
  });
});

test("a server that finds nothing in the ClientHello is asked again with more, in one packet still", async () => {
  const lengths: number[] = [];
  await using server = await startOddServer((socket) =>
    socket.once("data", (hello: Buffer) => {
      lengths.push(hello.length);
      socket.write(alert(40));
    }),
  );
  expect(await probe(server.address)).toMatchObject({ reason: "handshake-failed" });
  expect(lengths).toHaveLength(2);
  // Ethernet's 1500 bytes without the headers of IPv6 and TCP; OpenSSL sends a key share for the first group alone.
  expect(Math.max(...lengths)).toBeLessThan(1_420);
  expect(lengths[1]).toBeGreaterThan(lengths[0] ?? 0);

  await using faulty = await startOddServer((socket) => socket.once("data", () => socket.write(alert(80))));
  expect(await probe(faulty.address)).toMatchObject({ reason: "handshake-failed" });
  expect(faulty.count()).toBe(1);
});

describe("a server that takes for ever costs the time limit and no more", () => {
  const slowly =
    (piece: Buffer | string) =>
    (socket: Socket): void =>
      pour(socket, piece);
  // A warning alert, then an empty record for application data: what OpenSSL may pass over.
  const warning = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x01, 0x5a]);
  test.each<[string, string, (socket: Socket) => void]>([
    ["silence", "tls://", () => undefined],
    ["silence instead of a greeting", "smtp://", () => undefined],
    ["a handshake message byte by byte", "tls://", (s) => s.write(Buffer.from([22, 3, 3, 64, 0, 2, 0, 63, 250]))],
    ["a banner without an end", "ftp://", slowly("220-welcome\r\n")],
    ["a line without an end", "imap://", slowly("x")],
    ["markup without an end", "xmpp://", slowly("<a>")],
    ["warnings without an end", "tls://", slowly(warning)],
  ])("%s", async (_what, scheme, behave) => {
    await using server = await startOddServer(behave);
    const result = await probe(`${scheme}${server.address}`, { limits: { wholeMs: 150, stepMs: 150 } });
    expect(result.kind).toBe("unreachable");
    expect(result.durationMs).toBeLessThan(1500);
    await until(
      () => server.sockets.size,
      (open) => open === 0,
    );
  });

  test("the words tell silence before the greeting from silence after it", async () => {
    await using silent: OddServer = await startOddServer(() => undefined);
    await using half = await startOddServer((socket) => socket.write("220-first"));
    expect(await probe(`smtp://${silent.address}`, { limits: { wholeMs: 50, stepMs: 50 } })).toMatchObject({
      reason: "timed-out",
      detail: `${silent.address} took the connection and sent no SMTP greeting (does it begin with TLS at once? use tls://) within 50 ms`,
    });
    expect(await probe(`smtp://${half.address}`, { limits: { wholeMs: 50, stepMs: 50 } })).toMatchObject({
      reason: "timed-out",
      detail: `${half.address} did not finish its SMTP greeting within 50 ms`,
    });
  });
});

describe("each step has a limit of its own, below that of the whole", () => {
  const limits = { wholeMs: 60_000, stepMs: 80 };
  const record = Buffer.from([22, 3, 3, 64, 0, 2, 0, 63, 250]);

  test.each<[string, string, (socket: Socket) => void, RegExp]>([
    ["what comes before TLS", "smtp://", (s) => s.write("220-still"), /did not finish its SMTP greeting within 80 ms$/],
    ["the handshake", "tls://", (s) => s.write(record), /did not finish the handshake within 80 ms$/],
    ["silence", "tls://", () => undefined, /stayed silent: no ServerHello within 80 ms$/],
  ])("%s", async (_what, scheme, behave, detail) => {
    await using server = await startOddServer(behave);
    const result = await probe(`${scheme}${server.address}`, { limits });
    expect(result).toMatchObject({ reason: "timed-out", detail: expect.stringMatching(detail) });
    expect(result.durationMs).toBeLessThan(5_000);
  });

  test("a connection that nobody takes", async () => {
    await using server = await startBusyServer();
    const result = await probe(server.address, { limits });
    const detail = `${server.address} did not take the connection within 80 ms`;
    expect(result).toMatchObject({ reason: "timed-out", detail });
  });

  /** Takes 70 ms for what comes before TLS, and as long again to answer the ClientHello. */
  async function startSlowServer(clock: ManualClock): Promise<OddServer> {
    const replies = ["250-mail\r\n250 STARTTLS\r\n", "220 go ahead\r\n", alert(80)];
    return startOddServer((socket) => {
      clock.pass(70);
      socket.write("220 mail\r\n");
      socket.on("data", () => {
        if (replies.length === 1) clock.pass(70);
        socket.write(replies.shift() ?? "");
      });
    });
  }

  test("the limit of a step begins anew with each step", async () => {
    const clock = createManualClock(Date.now());
    await using server = await startSlowServer(clock);
    const result = await probe(`smtp://${server.address}`, { clock, limits });
    expect(result).toMatchObject({ reason: "handshake-failed", durationMs: 140 });
    expect(clock.pending()).toBe(0);
  });

  test("the limit of the whole doesn't", async () => {
    const clock = createManualClock(Date.now());
    await using server = await startSlowServer(clock);
    const result = await probe(`smtp://${server.address}`, { clock, limits: { ...limits, wholeMs: 100 } });
    const detail = `${server.address} took the connection and stayed silent: no ServerHello within 100 ms`;
    expect(result).toMatchObject({ reason: "timed-out", detail });
    expect(clock.pending()).toBe(0);
  });
});

describe("a server that sends too much", () => {
  test("is cut off by its chain's size: a hundred certificates", async () => {
    const many = Array.from({ length: 100 }, () => pair.certificatePem).join("");
    await using server = await startTlsServer(pair, { cert: many });
    expect(await probe(server.address)).toMatchObject({
      kind: "served",
      certificate: { fingerprint: pair.fingerprint, chain: [pair.fingerprint] },
    });
  });

  test("is named when its certificates are larger than OpenSSL takes", async () => {
    const names = Array.from({ length: 3000 }, (_, index) => `name-${index}.some-long-domain.example.com`);
    const large = await authority.issue({ names });
    await using server = await startTlsServer(large);
    expect(await probe(server.address)).toMatchObject({
      reason: "handshake-failed",
      detail: `the handshake with ${server.address} failed: its certificates are larger than a handshake may carry (excessive message size)`,
    });
  });

  test("shows its certificate though it has thousands of names", async () => {
    const names = Array.from({ length: 2000 }, (_, index) => `name-${index}.example.com`);
    const large = await authority.issue({ names });
    await using server = await startTlsServer(large);
    const result = await probe(server.address);
    expect(result.kind === "served" && result.certificate.names.length).toBe(2000);
  });
});

test("a prelude that comes byte by byte is understood all the same", async () => {
  await using server = await startOddServer((socket) => {
    const bytes = [..."220 slow\r\n"];
    const next = (): void => {
      const byte = bytes.shift();
      if (byte !== undefined) {
        socket.write(byte, () => setImmediate(next));
      }
    };
    next();
    socket.once("data", () => socket.write("502 no EHLO here\r\n"));
  });
  expect(await probe(`smtp://${server.address}`)).toMatchObject({
    reason: "prelude-failed",
    detail: `${server.address} refused EHLO: "502 no EHLO here"`,
  });
});

test("a server that hangs up instead of greeting is named so", async () => {
  await using server = await startOddServer((socket) => socket.end());
  expect(await probe(`imap://${server.address}`)).toMatchObject({
    reason: "closed-early",
    detail: `${server.address} closed the connection instead of sending its IMAP greeting`,
  });
});
