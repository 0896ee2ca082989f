import { describe, expect, test } from "vitest";
import { parseEndpoint } from "../../../src/probe/endpoint.ts";

describe("an endpoint", () => {
  test.each([
    ["127.0.0.1:8443", { label: "127.0.0.1:8443", scheme: "tls", host: "127.0.0.1", port: 8443 }],
    ["[::1]:8443", { label: "[::1]:8443", scheme: "tls", host: "::1", port: 8443 }],
    ["localhost:8443", { label: "localhost:8443", scheme: "tls", host: "localhost", port: 8443 }],
    ["www.example.com", { label: "www.example.com", scheme: "tls", host: "www.example.com", port: 443 }],
    ["  WWW.Example.com:443 ", { label: "www.example.com:443", scheme: "tls", host: "www.example.com", port: 443 }],
    ["TLS://[FE80::1%eth0]:1", { label: "tls://[fe80::1%eth0]:1", scheme: "tls", host: "fe80::1%eth0", port: 1 }],
    ["https://example.com/", { label: "https://example.com", scheme: "tls", host: "example.com", port: 443 }],
    ["ldaps://ldap.example", { label: "ldaps://ldap.example", scheme: "tls", host: "ldap.example", port: 636 }],
    ["smtp://mail.example", { label: "smtp://mail.example", scheme: "smtp", host: "mail.example", port: 25 }],
    ["imap://mail.example", { label: "imap://mail.example", scheme: "imap", host: "mail.example", port: 143 }],
    ["pop3://mail.example", { label: "pop3://mail.example", scheme: "pop3", host: "mail.example", port: 110 }],
    ["ftp://ftp.example", { label: "ftp://ftp.example", scheme: "ftp", host: "ftp.example", port: 21 }],
    ["ldap://ldap.example", { label: "ldap://ldap.example", scheme: "ldap", host: "ldap.example", port: 389 }],
    ["postgres://db", { label: "postgres://db", scheme: "postgres", host: "db", port: 5432 }],
    ["postgresql://db:5433", { label: "postgresql://db:5433", scheme: "postgres", host: "db", port: 5433 }],
    ["mysql://db_1", { label: "mysql://db_1", scheme: "mysql", host: "db_1", port: 3306 }],
    ["xmpp://x.example", { label: "xmpp://x.example", scheme: "xmpp", host: "x.example", port: 5222 }],
    [
      "xmpp-server://x.example",
      { label: "xmpp-server://x.example", scheme: "xmpp-server", host: "x.example", port: 5269 },
    ],
    [
      "bücher.example:443",
      { label: "xn--bcher-kva.example:443", scheme: "tls", host: "xn--bcher-kva.example", port: 443 },
    ],
  ])("is read from %j", (text, endpoint) => {
    expect(parseEndpoint(text)).toEqual({ kind: "endpoint", endpoint: { ...endpoint, serverName: undefined } });
  });

  test("may be a Unix socket", () => {
    expect(parseEndpoint("tls+unix:///run/my%20server.sock?servername=A.example.")).toEqual({
      kind: "endpoint",
      endpoint: {
        label: "tls+unix:///run/my%20server.sock?servername=A.example.",
        scheme: "tls",
        host: "",
        port: 0,
        socketPath: "/run/my server.sock",
        serverName: "a.example",
      },
    });
  });

  test("carries every option", () => {
    const text = "tls://127.0.0.1:8443?servername=a.example&proxy=v2&client-cert=%2Fc%2Ftls.crt&client-key=/c/tls.key";
    expect(parseEndpoint(text)).toEqual({
      kind: "endpoint",
      endpoint: {
        label: text,
        scheme: "tls",
        host: "127.0.0.1",
        port: 8443,
        serverName: "a.example",
        proxyHeader: "v2",
        clientCertificateFile: "/c/tls.crt",
        clientKeyFile: "/c/tls.key",
      },
    });
  });

  test("with an empty servername sends none", () => {
    expect(parseEndpoint("127.0.0.1:1?servername=")).toMatchObject({ endpoint: { serverName: "" } });
  });
});

describe("a text that is no endpoint", () => {
  const schemes =
    "tls, https, smtps, imaps, pop3s, ftps, ldaps, amqps, mqtts, rediss, smtp, imap, pop3, ftp, ldap, postgres, postgresql, mysql, mariadb, xmpp, xmpp-server";
  test.each([
    ["", '"" is not an endpoint', /^write it like 127\.0\.0\.1:8443/],
    ["a b:443", '"a b:443" is not an endpoint', /^write it like/],
    ["http://a.example", '"http" is not a scheme of an endpoint', new RegExp(`^use one of ${schemes}$`)],
    ["tls://a.example#x", 'endpoint "tls://a.example#x" has a fragment', /leave out everything from the #/],
    ["https://a.example/healthz", 'the path "/healthz" means nothing for a handshake', /^leave the path out$/],
    ["tls://me:secret@a.example", "an endpoint takes no user or password", /up to the @/],
    ["::1:8443", 'IPv6 address "::1:8443" has no brackets', /^write \[::1:8443\]:8443$/],
    ["tls://:443", '":443" names no host', /^write it like/],
    ["[nonsense]:443", '"[nonsense]:443" names no host', /^write it like/],
    ["127.1:443", '"127.1:443" names no host', /^write it like/],
    ["300.0.0.1:443", '"300.0.0.1:443" names no host', /^write it like/],
    ["a.example:0", '"0" is not a port', /1 to 65535/],
    ["a.example:65536", '"65536" is not a port', /1 to 65535/],
    ["a.example:", '"" is not a port', /1 to 65535/],
    ["a.example:https", '"https" is not a port', /1 to 65535/],
    ["0.0.0.0:8443", "0.0.0.0 is an address to listen on, not to connect to", /^write 127\.0\.0\.1:8443$/],
    ["[::]:8443", ":: is an address to listen on, not to connect to", /^write \[::1\]:8443$/],
    ["tls+unix://run/x.sock", 'a Unix socket needs an absolute path, found "run/x.sock"', /three slashes/],
    ["tls+unix://", 'a Unix socket needs an absolute path, found ""', /three slashes/],
    [`tls+unix:///${"x".repeat(107)}`, `"/${"x".repeat(107)}" can't be a socket's path`, /107 bytes/],
    [
      "a.example:1?sni=b",
      '"sni" is not an option of an endpoint',
      /^use one of servername, proxy, client-cert, client-key$/,
    ],
    ["a.example:1?servername", "option servername has no usable value", /servername=value/],
    ["a.example:1?servername=%zz", "option servername has no usable value", /percent-encoded/],
    ["a.example:1?servername=a&servername=b", "option servername is given twice", /once/],
    ["a.example:1?servername=127.0.0.1", `servername "127.0.0.1" can't be sent as SNI`, /DNS name/],
    ["a.example:1?servername=*.b.example", `servername "*.b.example" can't be sent as SNI`, /wildcard/],
    ["a.example:1?proxy=v3", 'proxy "v3" is not a version of the PROXY protocol', /^use proxy=v1 or proxy=v2$/],
    ["a.example:1?client-cert=/c", "client-cert and client-key need each other", /both files/],
    ["a.example:1?client-key=/c", "client-cert and client-key need each other", /both files/],
    ["a.example:1?client-cert=&client-key=/c", "client-cert and client-key need each other", /both files/],
  ])("is explained: %j", (text, message, hint) => {
    expect(parseEndpoint(text)).toEqual({ kind: "issue", message, hint: expect.stringMatching(hint) });
  });
});
