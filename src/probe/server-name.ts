import { isIP } from "node:net";
import type { Endpoint } from "./endpoint.ts";

/** The label put in place of a wildcard's asterisk; no client asks for a name with an asterisk in it. */
const wildcardLabel = "certhup";

/**
 * The first name of a certificate that a client could send as SNI: IP addresses are passed over, a wildcard gets a
 * label. Undefined where there is none.
 */
export function firstServerName(names: readonly string[]): string | undefined {
  for (const name of names) {
    const candidate = name.toLowerCase().replace(/^\*\./, `${wildcardLabel}.`).replace(/\.$/, "");
    if (isIP(candidate) === 0 && isSendable(candidate)) {
      return candidate;
    }
  }
  return undefined;
}

/**
 * The name to send as SNI, undefined for none: the endpoint's own word first, then the volume's name, then the host
 * where it is a DNS name other than localhost (RFC 6066 section 3 forbids IP addresses).
 */
export function chooseServerName(endpoint: Endpoint, defaultServerName: string | undefined): string | undefined {
  if (endpoint.serverName !== undefined) {
    return endpoint.serverName === "" ? undefined : endpoint.serverName;
  }
  if (defaultServerName !== undefined && isIP(defaultServerName) === 0 && isSendable(defaultServerName)) {
    return defaultServerName;
  }
  const host = endpoint.host.replace(/\.$/, "");
  return isIP(host) === 0 && host !== "localhost" && isSendable(host) ? host : undefined;
}

function isSendable(name: string): boolean {
  return /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name);
}
