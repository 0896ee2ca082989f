import type { EndpointScheme } from "./endpoint-scheme.ts";
import type { Prelude } from "./prelude.ts";
import { createFtpPrelude } from "./preludes/ftp.ts";
import { createImapPrelude } from "./preludes/imap.ts";
import { createLdapPrelude } from "./preludes/ldap.ts";
import { createMysqlPrelude } from "./preludes/mysql.ts";
import { createMysqlFarewell } from "./preludes/mysql-farewell.ts";
import { createPop3Prelude } from "./preludes/pop3.ts";
import { createPostgresPrelude } from "./preludes/postgres.ts";
import { createSmtpPrelude } from "./preludes/smtp.ts";
import { createXmppPrelude } from "./preludes/xmpp.ts";

/**
 * What to say before the ClientHello; undefined for TLS at once.
 *
 * @param domain the DNS name that the server is asked for, where the protocol has a place for it
 */
export function choosePrelude(scheme: EndpointScheme, domain: string): Prelude | undefined {
  switch (scheme) {
    case "tls":
      return undefined;
    case "smtp":
      return createSmtpPrelude();
    case "imap":
      return createImapPrelude();
    case "pop3":
      return createPop3Prelude();
    case "ftp":
      return createFtpPrelude();
    case "ldap":
      return createLdapPrelude();
    case "postgres":
      return createPostgresPrelude();
    case "mysql":
      return createMysqlPrelude();
    case "xmpp":
      return createXmppPrelude("jabber:client", domain);
    case "xmpp-server":
      return createXmppPrelude("jabber:server", domain);
  }
}

/**
 * What to say inside TLS before hanging up, where a server holds it against a client's address to leave without a word;
 * undefined where nobody minds.
 */
export function chooseFarewell(scheme: EndpointScheme): Prelude | undefined {
  return scheme === "mysql" ? createMysqlFarewell() : undefined;
}
