import { describe, expect, test } from "vitest";
import { choosePrelude } from "../../../src/probe/choose-prelude.ts";
import type { EndpointScheme } from "../../../src/probe/endpoint-scheme.ts";
import { createPreludeRun, type PreludeState } from "../../../src/probe/prelude-run.ts";
import { features, greetings, proceed } from "../../support/odd-server-talk.ts";

/** Plays a server's messages, each when the one before is used up, and tells what the client said and how it ended. */
function play(scheme: EndpointScheme, messages: readonly (string | Buffer)[]): { said: string[]; state: PreludeState } {
  const prelude = choosePrelude(scheme, "x.example");
  if (prelude === undefined) {
    throw new Error(`${scheme} has no prelude`);
  }
  const said: string[] = [];
  const run = createPreludeRun(prelude, (bytes) => said.push(bytes.toString("latin1")));
  let state = run.receive(Buffer.alloc(0));
  for (const message of messages) {
    state = run.receive(typeof message === "string" ? Buffer.from(message, "latin1") : message);
  }
  return { said, state };
}

test.each(Object.entries(greetings))("%s gets to TLS with an ordinary server", (scheme, messages) => {
  expect(play(scheme as EndpointScheme, messages).state).toEqual({ kind: "ready" });
});

test("what the client says is what the protocols ask for", () => {
  expect(play("smtp", greetings.smtp).said).toEqual(["EHLO certhup.invalid\r\n", "STARTTLS\r\n"]);
  expect(play("imap", greetings.imap).said).toEqual(["c1 STARTTLS\r\n"]);
  expect(play("pop3", greetings.pop3).said).toEqual(["STLS\r\n"]);
  expect(play("ftp", greetings.ftp).said).toEqual(["AUTH TLS\r\n"]);
});

describe("a server that won't", () => {
  const mysqlError = Buffer.from("\x12\x00\x00\x00\xff\x69\x04Host is blocked", "latin1");
  const withoutTls = Buffer.from(greetings.mysql[0] ?? "", "latin1");
  withoutTls.writeUInt16LE(0xf7ff, withoutTls.length - 2);
  const ldapRefusal = Buffer.from("\x30\x16\x02\x01\x01\x78\x11\x0a\x01\x34\x04\x00\x04\x0ano TLS now", "latin1");
  ldapRefusal[13] = 0x0a;
  test.each<[EndpointScheme, readonly (string | Buffer)[], string]>([
    ["smtp", ["554 no service\r\n"], 'turned the client away: "554 no service"'],
    ["smtp", ["hello\r\n"], 'sent "hello" as SMTP greeting'],
    ["smtp", ["220-a\r\n250 b\r\n"], 'sent "250 b" as SMTP greeting'],
    ["smtp", ["220 a\r\n", "502 what\r\n"], 'refused EHLO: "502 what"'],
    ["smtp", ["220 a\r\n", "250-SIZE\r\n250 X-STARTTLS\r\n"], "offers no STARTTLS: is TLS configured there?"],
    ["smtp", ["220 a\r\n", "250 STARTTLS\r\n", "454 later\r\n"], 'refused STARTTLS: "454 later"'],
    ["smtp", ["220 \u001b[2J\r\n", "421 \u001b]0;x\u0007\r\n"], 'refused EHLO: "421 \\x1b]0;x\\x07"'],
    ["imap", ["* PREAUTH hi\r\n"], "logs the client in before TLS (PREAUTH), which rules STARTTLS out"],
    ["imap", ["* BYE full\r\n"], 'sent "* BYE full" as IMAP greeting'],
    ["imap", ["* OK\r\n", "* CAPABILITY X\r\nc1 BAD no\r\n"], 'refused STARTTLS: "c1 BAD no"'],
    ["imap", ["* OK\r\n", "* BYE gone\r\n"], 'refused STARTTLS: "* BYE gone"'],
    ["pop3", ["-ERR busy\r\n"], 'sent "-ERR busy" as POP3 greeting'],
    ["pop3", ["+OK\r\n", "-ERR no TLS\r\n"], 'refused STLS: "-ERR no TLS"'],
    ["ftp", ["421 full\r\n"], 'turned the client away: "421 full"'],
    ["ftp", ["220 a\r\n", "530 log in first\r\n"], 'refused AUTH TLS: "530 log in first"'],
    ["postgres", ["N"], "speaks no TLS: ssl is off in its configuration, or it could not load its certificate"],
    ["postgres", ["E"], "answered SSLRequest with an error: it is too old for TLS, or out of resources"],
    ["postgres", ["H"], 'answered SSLRequest with "H": not PostgreSQL'],
    ["postgres", ["S\x16"], "sent 1 bytes more than its reply before TLS began"],
    ["mysql", [mysqlError], 'turned the client away: "Host is blocked"'],
    ["mysql", [withoutTls], "offers no TLS: is ssl_cert configured there?"],
    ["mysql", ["SSH-2.0-OpenSSH\r\n"], "announced a MySQL greeting of 4739927 bytes"],
    ["mysql", ["\x01\x00\x00\x00\x09"], "sent something else than a MySQL greeting of protocol version 10"],
    ["ldap", [ldapRefusal], 'refused StartTLS with LDAP result 52: "no TLS now"'],
    ["ldap", ["HTTP/1.1 400 Bad Request\r\n"], "sent something else than an LDAP reply to StartTLS"],
    ["ldap", ["\x30\x84\x7f\xff\xff\xff"], "announced a reply to StartTLS of 2147483653 bytes"],
    ["xmpp", ["HTTP/1.1 400"], 'sent "HTTP/1.1 400" as XMPP stream'],
    ["xmpp", [features("<mechanisms/>")], "offers no STARTTLS for x.example: is a certificate configured for it?"],
    [
      "xmpp",
      [features("<starttls xmlns='other'/>")],
      "offers no STARTTLS for x.example: is a certificate configured for it?",
    ],
    [
      "xmpp",
      ["<stream:stream><stream:error><host-unknown/></stream:error></stream:stream>"],
      "ended the stream: host-unknown (is x.example one of its domains?)",
    ],
    [
      "xmpp",
      [greetings.xmpp[0] ?? "", "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"],
      `refused STARTTLS: "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"`,
    ],
  ])("%s %j is refused", (scheme, messages, detail) => {
    expect(play(scheme, messages).state).toEqual({ kind: "refused", detail });
  });
});

describe("a server that speaks out of turn is refused", () => {
  test("before the client said anything", () => {
    expect(play("smtp", ["220 a\r\n250 STARTTLS\r\n"]).state).toEqual({
      kind: "refused",
      detail: "spoke out of turn: 14 bytes that nobody asked for",
    });
  });

  test("behind its last reply, where an injected command would hide", () => {
    expect(play("smtp", ["220 a\r\n", "250 STARTTLS\r\n", "220 go\r\n250 injected\r\n"]).state).toEqual({
      kind: "refused",
      detail: "sent 14 bytes more than its reply before TLS began",
    });
    expect(play("xmpp", [greetings.xmpp[0] ?? "", `${proceed}<x/>`]).state).toMatchObject({ kind: "refused" });
  });
});

test.each<[EndpointScheme, string]>([
  ["smtp", "220-more\r\n"],
  ["smtp", "a"],
  ["ftp", "220-more\r\n"],
  ["imap", "x"],
  ["xmpp", "<a>"],
])("an endless banner is cut off at 32 KiB: %s %j", (scheme, piece) => {
  const messages = Array.from({ length: 40_000 / piece.length }, () => piece);
  const { state } = play(scheme, messages);
  expect(state).toMatchObject({
    kind: "refused",
    detail: expect.stringMatching(/^sent 32768 bytes without coming to the end of its /),
  });
});
