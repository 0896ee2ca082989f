import { isIP, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { quoteForeign } from "../system/escape.ts";
import { type EndpointOptions, parseEndpointOptions } from "./endpoint-options.ts";
import { type EndpointScheme, schemes } from "./endpoint-scheme.ts";
import { decodePart } from "./endpoint-text.ts";

/** Where to look at a served certificate, and how to speak there. */
export interface Endpoint extends EndpointOptions {
  /** The text as the user wrote it, normalised: the name used in logs, metrics and status. */
  readonly label: string;
  readonly scheme: EndpointScheme;
  /** A name or an IP address without brackets; empty for a Unix socket. */
  readonly host: string;
  /** 0 for a Unix socket. */
  readonly port: number;
  /** Absolute path of a Unix socket, used instead of host and port. */
  readonly socketPath?: string;
}

/** An endpoint, or what is wrong with the text and what to write. */
export type ParsedEndpoint =
  | { readonly kind: "endpoint"; readonly endpoint: Endpoint }
  | { readonly kind: "issue"; readonly message: string; readonly hint: string };

const longestText = 2048;
/** sun_path holds 108 bytes with its final NUL (unix(7)). */
const longestSocketPath = 107;
const urlShape = /^(?:([a-z][a-z0-9.+-]*):\/\/)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?(#.*)?$/i;
const authorityShape = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::([^:]*))?$/;
const hostShape = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*\.?$/;
const example = "write it like 127.0.0.1:8443 or tls://127.0.0.1:8443?servername=www.example.com";

/**
 * Reads an endpoint: `tls://127.0.0.1:8443?servername=a.example`, the short form `127.0.0.1:8443` (which is TLS at
 * once), `[::1]:8443`, `smtp://mail.example` (default port), `tls+unix:///run/x.sock`.
 */
export function parseEndpoint(text: string): ParsedEndpoint {
  const trimmed = text.trim();
  const parts = trimmed.length > longestText ? null : urlShape.exec(trimmed);
  if (parts === null || trimmed === "" || /[\s\p{C}]/u.test(trimmed)) {
    return issue(`${quoteForeign(text)} is not an endpoint`, example);
  }
  const [, schemeText = "tls", authority = "", path = "", query, fragment] = parts;
  const schemeName = schemeText.toLowerCase();
  const isUnix = schemeName.endsWith("+unix");
  const meaning = schemes.get(isUnix ? schemeName.slice(0, -"+unix".length) : schemeName);
  if (meaning === undefined) {
    return issue(
      `${quoteForeign(schemeText)} is not a scheme of an endpoint`,
      `use one of ${[...schemes.keys()].join(", ")}`,
    );
  }
  if (fragment !== undefined) {
    return issue(`endpoint ${quoteForeign(text)} has a fragment`, "leave out everything from the # on");
  }
  const place = isUnix ? parseSocketPath(authority, path) : parseAuthority(authority, path, meaning.defaultPort);
  if (place.kind === "issue") {
    return place;
  }
  const options = parseEndpointOptions(query);
  if (options.kind === "issue") {
    return options;
  }
  const prefix = parts[1] === undefined ? "" : `${schemeName}://`;
  const suffix = query === undefined || query === "" ? "" : `?${query}`;
  return {
    kind: "endpoint",
    endpoint: {
      label: `${prefix}${place.text}${suffix}`,
      scheme: meaning.scheme,
      ...place.place,
      ...options.options,
    },
  };
}

type Place = Pick<Endpoint, "host" | "port" | "socketPath">;
type ParsedPlace = { readonly kind: "place"; readonly text: string; readonly place: Place } | Issue;
type Issue = Extract<ParsedEndpoint, { kind: "issue" }>;

function parseSocketPath(authority: string, path: string): ParsedPlace {
  const socketPath = decodePart(path);
  if (authority !== "" || socketPath === undefined || socketPath.length < 2) {
    return issue(
      `a Unix socket needs an absolute path, found ${quoteForeign(authority + path)}`,
      "write three slashes, like tls+unix:///run/server.sock",
    );
  }
  if (socketPath.includes("\0") || Buffer.byteLength(socketPath) > longestSocketPath) {
    return issue(
      `${quoteForeign(socketPath)} can't be a socket's path`,
      `Linux allows ${longestSocketPath} bytes: use a shorter path`,
    );
  }
  return { kind: "place", text: path, place: { host: "", port: 0, socketPath } };
}

function parseAuthority(authority: string, path: string, defaultPort: number): ParsedPlace {
  if (path !== "" && path !== "/") {
    return issue(`the path ${quoteForeign(path)} means nothing for a handshake`, "leave the path out");
  }
  if (authority.includes("@")) {
    return issue("an endpoint takes no user or password", "leave out everything up to the @: nobody logs in");
  }
  if (isIPv6(authority)) {
    return issue(`IPv6 address ${quoteForeign(authority)} has no brackets`, `write [${authority}]:8443`);
  }
  const parts = authorityShape.exec(authority);
  const port = parsePort(parts?.[3], defaultPort);
  const host = parseHost(parts?.[1], parts?.[2]);
  if (host === undefined) {
    return issue(`${quoteForeign(authority)} names no host`, example);
  }
  if (port === undefined) {
    return issue(`${quoteForeign(parts?.[3] ?? "")} is not a port`, "use a number from 1 to 65535");
  }
  if (host === "0.0.0.0" || host === "::") {
    return issue(
      `${host} is an address to listen on, not to connect to`,
      `write ${host === "::" ? "[::1]" : "127.0.0.1"}:${port}`,
    );
  }
  const text = parts?.[3] === undefined ? bracket(host) : `${bracket(host)}:${port}`;
  return { kind: "place", text, place: { host, port } };
}

function parseHost(bracketed: string | undefined, plain: string | undefined): string | undefined {
  if (bracketed !== undefined) {
    return isIPv6(bracketed) ? bracketed.toLowerCase() : undefined;
  }
  if (plain === undefined || plain === "") {
    return undefined;
  }
  if (isIP(plain) === 4) {
    return plain;
  }
  const host = /^[\x21-\x7e]+$/.test(plain) ? plain.toLowerCase() : domainToASCII(plain);
  // Dots and digits alone are a mistyped address: resolvers take 127.1 or 2130706433 for one.
  return hostShape.test(host) && !/^[0-9.]+$/.test(host) ? host : undefined;
}

function parsePort(text: string | undefined, defaultPort: number): number | undefined {
  if (text === undefined) {
    return defaultPort;
  }
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

function bracket(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function issue(message: string, hint: string): Issue {
  return { kind: "issue", message, hint };
}
