import type { EndpointScheme } from "../../src/probe/endpoint-scheme.ts";

/** What an XMPP server says before its features, and the features. */
export function features(content: string): string {
  return `<?xml version='1.0'?><stream:stream id='1'><stream:features>${content}</stream:features>`;
}

/** An XMPP server's consent to STARTTLS. */
export const proceed: string = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>";

const mysqlGreeting = "\x0a5.5.5-10.11.19-MariaDB\0\x01\0\0\0saltsalt\0\xff\xff";

/** What ordinary servers say up to the ClientHello, message by message: each answers one of the client's. */
export const greetings: Readonly<
  Record<Exclude<EndpointScheme, "tls">, readonly [first: string, ...others: string[]]>
> = {
  smtp: [
    "220 mail.example ESMTP\r\n",
    "250-mail.example\r\n250-SIZE 10\r\n250-starttls\r\n250 HELP\r\n",
    "220 go on\r\n",
  ],
  imap: ["* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n", "* CAPABILITY IMAP4rev1\r\nc1 OK begin\r\n"],
  pop3: ["+OK ready\r\n", "+OK\r\n"],
  ftp: ["120 wait\r\n220-Welcome\r\n 220 not yet\r\nhello\r\n220 ready\r\n", "234 go on\r\n"],
  ldap: ["\x30\x0c\x02\x01\x01\x78\x07\x0a\x01\x00\x04\x00\x04\x00"],
  postgres: ["S"],
  mysql: [`${String.fromCharCode(mysqlGreeting.length)}\0\0\0${mysqlGreeting}`],
  xmpp: [features("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>"), proceed],
  "xmpp-server": [
    features('<starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>'),
    "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'></proceed>",
  ],
};
