/** How an endpoint begins: TLS at once, or a protocol that asks for it first (STARTTLS). */
export type EndpointScheme =
  | "tls"
  | "smtp"
  | "imap"
  | "pop3"
  | "ftp"
  | "ldap"
  | "postgres"
  | "mysql"
  | "xmpp"
  | "xmpp-server";

/** What a scheme of an endpoint URL stands for. */
export interface SchemeMeaning {
  readonly scheme: EndpointScheme;
  /** The port assigned by IANA, used where the URL names none. */
  readonly defaultPort: number;
}

/** Every scheme an endpoint URL may have; those that begin with TLS at once are other names of `tls`. */
export const schemes: ReadonlyMap<string, SchemeMeaning> = new Map<string, SchemeMeaning>([
  ["tls", { scheme: "tls", defaultPort: 443 }],
  ["https", { scheme: "tls", defaultPort: 443 }],
  ["smtps", { scheme: "tls", defaultPort: 465 }],
  ["imaps", { scheme: "tls", defaultPort: 993 }],
  ["pop3s", { scheme: "tls", defaultPort: 995 }],
  ["ftps", { scheme: "tls", defaultPort: 990 }],
  ["ldaps", { scheme: "tls", defaultPort: 636 }],
  ["amqps", { scheme: "tls", defaultPort: 5671 }],
  ["mqtts", { scheme: "tls", defaultPort: 8883 }],
  ["rediss", { scheme: "tls", defaultPort: 6379 }],
  ["smtp", { scheme: "smtp", defaultPort: 25 }],
  ["imap", { scheme: "imap", defaultPort: 143 }],
  ["pop3", { scheme: "pop3", defaultPort: 110 }],
  ["ftp", { scheme: "ftp", defaultPort: 21 }],
  ["ldap", { scheme: "ldap", defaultPort: 389 }],
  ["postgres", { scheme: "postgres", defaultPort: 5432 }],
  ["postgresql", { scheme: "postgres", defaultPort: 5432 }],
  ["mysql", { scheme: "mysql", defaultPort: 3306 }],
  ["mariadb", { scheme: "mysql", defaultPort: 3306 }],
  ["xmpp", { scheme: "xmpp", defaultPort: 5222 }],
  ["xmpp-server", { scheme: "xmpp-server", defaultPort: 5269 }],
]);
