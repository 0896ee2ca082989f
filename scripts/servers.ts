/** One Debian package with a server that the process tests start, and the file that tells whether it is installed. */
export interface ServerPackage {
  readonly name: string;
  readonly file: string;
}

/**
 * Servers that test/process starts as its own children, each with a directory and ports of its own. They
 * take 20 seconds to install and 15 MB to fetch.
 */
export const serverPackages: readonly ServerPackage[] = [
  { name: "nginx-light", file: "/usr/sbin/nginx" },
  { name: "postfix", file: "/usr/sbin/postfix" },
  { name: "dovecot-imapd", file: "/usr/lib/dovecot/imap-login" },
  { name: "dovecot-pop3d", file: "/usr/lib/dovecot/pop3-login" },
  { name: "vsftpd", file: "/usr/sbin/vsftpd" },
  { name: "slapd", file: "/usr/sbin/slapd" },
  { name: "postgresql-15", file: "/usr/lib/postgresql/15/bin/postgres" },
  { name: "mariadb-server-core", file: "/usr/sbin/mariadbd" },
  { name: "prosody", file: "/usr/bin/prosody" },
];
