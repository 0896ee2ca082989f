import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { quoteForeign } from "../system/escape.ts";
import { decodePart } from "./endpoint-text.ts";

/** What the query of an endpoint URL can say. */
export interface EndpointOptions {
  /** Name for SNI, lower case; the empty string sends none; undefined leaves the choice to the prober. */
  readonly serverName: string | undefined;
  /** Version of the PROXY protocol whose header goes before everything else. */
  readonly proxyHeader?: "v1" | "v2";
  /** PEM file with the client certificate and its intermediates. */
  readonly clientCertificateFile?: string;
  /** PEM file with the client's private key. */
  readonly clientKeyFile?: string;
}

/** The options, or what is wrong with the query and what to write. */
export type ParsedEndpointOptions =
  | { readonly kind: "options"; readonly options: EndpointOptions }
  | { readonly kind: "issue"; readonly message: string; readonly hint: string };

const allowedKeys = ["servername", "proxy", "client-cert", "client-key"];
const serverNameShape = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*$/;

/** Reads the part after the question mark: keys and values percent-encoded, each key at most once. */
export function parseEndpointOptions(query: string | undefined): ParsedEndpointOptions {
  const values = new Map<string, string>();
  for (const pair of (query ?? "").split("&")) {
    if (pair === "") {
      continue;
    }
    const equals = pair.indexOf("=");
    const key = equals === -1 ? pair : pair.slice(0, equals);
    const value = equals === -1 ? undefined : decodePart(pair.slice(equals + 1));
    if (!allowedKeys.includes(key)) {
      return issue(`${quoteForeign(key)} is not an option of an endpoint`, `use one of ${allowedKeys.join(", ")}`);
    }
    if (value === undefined || /\p{Cc}/u.test(value)) {
      return issue(`option ${key} has no usable value`, `write ${key}=value, percent-encoded where needed`);
    }
    if (values.has(key)) {
      return issue(`option ${key} is given twice`, "give each option once");
    }
    values.set(key, value);
  }
  return toOptions(values);
}

function toOptions(values: ReadonlyMap<string, string>): ParsedEndpointOptions {
  const serverName = toServerName(values.get("servername"));
  if (serverName === null) {
    return issue(
      `servername ${quoteForeign(values.get("servername") ?? "")} can't be sent as SNI`,
      "use a DNS name without a wildcard; servername= with nothing after it sends none",
    );
  }
  const proxy = values.get("proxy");
  if (proxy !== undefined && proxy !== "v1" && proxy !== "v2") {
    return issue(`proxy ${quoteForeign(proxy)} is not a version of the PROXY protocol`, "use proxy=v1 or proxy=v2");
  }
  const clientCertificateFile = values.get("client-cert");
  const clientKeyFile = values.get("client-key");
  if ((clientCertificateFile ?? "") === "" ? clientKeyFile !== undefined : (clientKeyFile ?? "") === "") {
    return issue(
      "client-cert and client-key need each other",
      "give both files; the same one where it holds certificate and key",
    );
  }
  return {
    kind: "options",
    options: {
      serverName,
      ...(proxy === undefined ? {} : { proxyHeader: proxy }),
      ...(clientCertificateFile === undefined || clientKeyFile === undefined
        ? {}
        : { clientCertificateFile, clientKeyFile }),
    },
  };
}

/** RFC 6066 section 3: SNI carries a DNS name without a trailing dot, never an IP address; null for anything else. */
function toServerName(text: string | undefined): string | undefined | null {
  if (text === undefined || text === "") {
    return text;
  }
  const name = (/^[\x21-\x7e]+$/.test(text) ? text.toLowerCase() : domainToASCII(text)).replace(/\.$/, "");
  return serverNameShape.test(name) && isIP(name) === 0 ? name : null;
}

function issue(message: string, hint: string): ParsedEndpointOptions {
  return { kind: "issue", message, hint };
}
