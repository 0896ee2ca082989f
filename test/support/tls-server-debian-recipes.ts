import { execFileSync } from "node:child_process";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Debian's servers that the tests know how to start. */
export type DebianServerName =
  | "dovecot"
  | "mariadb"
  | "nginx"
  | "postfix"
  | "postgresql"
  | "prosody"
  | "slapd"
  | "vsftpd";

/** The files of the pair to serve. */
export interface PairFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Writes a configuration into the directory and says which command runs it in the foreground. */
export type Recipe = (directory: string, port: number, files: PairFiles | undefined) => Promise<readonly string[]>;

/** The domain that prosody is configured for. */
export const xmppDomain = "xmpp.example";

/** The servers that listen on the port after `port` too: POP3, the PROXY protocol, XMPP between servers. */
export const withSecondPort: ReadonlySet<DebianServerName> = new Set(["dovecot", "nginx", "prosody"]);

/** How to start each of them. */
export const recipes: Record<DebianServerName, Recipe> = {
  async dovecot(directory, port, files) {
    const tls =
      files === undefined ? "ssl = no\n" : `ssl = yes\nssl_cert = <${files.certificate}\nssl_key = <${files.key}\n`;
    return await configure(
      join(directory, "dovecot.conf"),
      ["dovecot", "-F", "-c"],
      [
        `base_dir = ${directory}/run`,
        `state_dir = ${directory}/state`,
        "log_path = /dev/stderr",
        "protocols = imap pop3",
        "listen = 127.0.0.1",
        tls,
        `service imap-login {\n inet_listener imap {\n port = ${port}\n }\n inet_listener imaps {\n port = 0\n }\n}`,
        `service pop3-login {\n inet_listener pop3 {\n port = ${port + 1}\n }\n inet_listener pop3s {\n port = 0\n }\n}`,
        "passdb {\n driver = static\n args = nopassword=y\n}",
        "userdb {\n driver = static\n args = uid=mail gid=mail home=/nonexistent\n}",
      ],
    );
  },
  async mariadb(directory, port, files) {
    const data = join(directory, "data");
    await mkdir(join(data, "mysql"), { recursive: true });
    const server = [
      "--no-defaults",
      "--user=root",
      "--skip-innodb",
      "--default-storage-engine=aria",
      `--datadir=${data}`,
    ];
    // The system tables, as mariadb-install-db makes them.
    const scripts = ["mysql_system_tables", "mysql_performance_tables", "mysql_system_tables_data"];
    const texts = await Promise.all(scripts.map((name) => readFile(`/usr/share/mysql/${name}.sql`, "utf8")));
    const input = `use mysql;\n${texts.join("\n")}`;
    execFileSync("mariadbd", [...server, "--bootstrap"], { input, stdio: ["pipe", "ignore", "ignore"] });
    const init = join(directory, "init.sql");
    await writeFile(init, "CREATE USER application@'%' IDENTIFIED BY 'a long password of its own';\n");
    return [
      "mariadbd",
      ...server,
      `--init-file=${init}`,
      "--bind-address=0.0.0.0",
      `--port=${port}`,
      `--socket=${directory}/socket`,
      `--pid-file=${directory}/pid`,
      ...(files === undefined ? [] : [`--ssl-cert=${files.certificate}`, `--ssl-key=${files.key}`]),
    ];
  },
  async nginx(directory, port, files) {
    const pair = `ssl_certificate ${files?.certificate}; ssl_certificate_key ${files?.key};`;
    return await configure(
      join(directory, "nginx.conf"),
      ["nginx", "-e", "stderr", "-c"],
      [
        `daemon off; pid ${directory}/pid; error_log stderr info; events {}`,
        `http { access_log off; ssl_protocols TLSv1.2 TLSv1.3; ${pair}`,
        `server { listen 127.0.0.1:${port} ssl; }`,
        `server { listen 127.0.0.1:${port + 1} ssl proxy_protocol; } }`,
      ],
    );
  },
  async postfix(directory, port, files) {
    await mkdir(join(directory, "queue"));
    await mkdir(join(directory, "data"));
    await chown(join(directory, "data"), readId("-u", "postfix"), 0);
    await writeFile(
      join(directory, "master.cf"),
      [
        `127.0.0.1:${port} inet n - n - 2 smtpd`,
        "tlsmgr unix - - n 1000? 1 tlsmgr",
        "anvil unix - - n - 1 anvil",
        "rewrite unix - - n - - trivial-rewrite",
        "postlog unix-dgram n - n - 1 postlogd",
        "proxymap unix - - n - - proxymap\n",
      ].join("\n"),
    );
    await configure(
      join(directory, "main.cf"),
      [],
      [
        "compatibility_level = 3.6",
        `queue_directory = ${directory}/queue`,
        `data_directory = ${directory}/data`,
        "inet_interfaces = 127.0.0.1",
        "inet_protocols = ipv4",
        "myhostname = mail.example",
        "mydestination =",
        "maillog_file = /dev/stdout",
        "smtpd_recipient_restrictions = reject",
        ...(files === undefined
          ? ["smtpd_tls_security_level = none"]
          : [
              "smtpd_tls_security_level = may",
              `smtpd_tls_cert_file = ${files.certificate}`,
              `smtpd_tls_key_file = ${files.key}`,
            ]),
      ],
    );
    // Makes the queue's directories. The master itself then stays in the test's process group, unlike with "start-fg".
    execFileSync("postfix", ["-c", directory, "check"], { stdio: "ignore" });
    return ["/usr/lib/postfix/sbin/master", "-s", "-c", directory];
  },
  async postgresql(directory, port, files) {
    const [user, group] = [readId("-u", "postgres"), readId("-g", "postgres")];
    const data = join(directory, "data");
    await mkdir(data);
    await chown(data, user, group);
    if (files !== undefined) {
      await chown(files.key, user, group);
    }
    const asPostgres = ["--reuid=postgres", "--regid=postgres", "--clear-groups"];
    const programs = "/usr/lib/postgresql/15/bin";
    execFileSync("setpriv", [...asPostgres, `${programs}/initdb`, "-D", data, "-A", "trust", "--no-sync"], {
      stdio: "ignore",
    });
    const settings = [
      "listen_addresses=127.0.0.1",
      `port=${port}`,
      "unix_socket_directories=",
      "fsync=off",
      ...(files === undefined
        ? ["ssl=off"]
        : ["ssl=on", `ssl_cert_file=${files.certificate}`, `ssl_key_file=${files.key}`]),
    ];
    return [
      "setpriv",
      ...asPostgres,
      `${programs}/postgres`,
      "-D",
      data,
      ...settings.flatMap((setting) => ["-c", setting]),
    ];
  },
  async prosody(directory, port, files) {
    return await configure(
      join(directory, "prosody.cfg.lua"),
      ["prosody", "-F", "--config"],
      [
        "run_as_root = true",
        `pidfile = "${directory}/pid"`,
        `data_path = "${directory}"`,
        'interfaces = { "127.0.0.1" }',
        `c2s_ports = { ${port} }`,
        `s2s_ports = { ${port + 1} }`,
        "c2s_direct_tls_ports = {} s2s_direct_tls_ports = {} http_ports = {} https_ports = {}",
        'modules_enabled = { "tls", "saslauth" }',
        files === undefined ? "" : `ssl = { key = "${files.key}", certificate = "${files.certificate}" }`,
        'log = { info = "*console" }',
        `VirtualHost "${xmppDomain}"`,
      ],
    );
  },
  async slapd(directory, port, files) {
    const command = ["slapd", "-d", "0", "-h", `ldap://127.0.0.1:${port}`, "-f"];
    return await configure(join(directory, "slapd.conf"), command, [
      `pidfile ${directory}/pid`,
      ...(files === undefined ? [] : [`TLSCertificateFile ${files.certificate}`, `TLSCertificateKeyFile ${files.key}`]),
    ]);
  },
  async vsftpd(directory, port, files) {
    await mkdir(join(directory, "empty"));
    return await configure(
      join(directory, "vsftpd.conf"),
      ["vsftpd"],
      [
        "listen=YES",
        "background=NO",
        "listen_address=127.0.0.1",
        `listen_port=${port}`,
        "anonymous_enable=YES",
        "local_enable=NO",
        "ftp_username=nobody",
        "seccomp_sandbox=NO",
        `secure_chroot_dir=${directory}/empty`,
        ...(files === undefined
          ? ["ssl_enable=NO"]
          : [
              "ssl_enable=YES",
              "allow_anon_ssl=YES",
              `rsa_cert_file=${files.certificate}`,
              `rsa_private_key_file=${files.key}`,
            ]),
      ],
    );
  },
};

async function configure(
  file: string,
  command: readonly string[],
  lines: readonly string[],
): Promise<readonly string[]> {
  await writeFile(file, `${lines.join("\n")}\n`);
  return [...command, file];
}

function readId(kind: "-u" | "-g", user: string): number {
  return Number(execFileSync("id", [kind, user], { encoding: "utf8" }));
}
