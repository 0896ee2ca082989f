import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { toCanonicalIp } from "./names.ts";

/**
 * Whether one of the certificate's names covers the wanted name (RFC 9525, section 6): DNS names without regard to
 * case, a wildcard for exactly one whole left-most label, IP addresses by value. A wanted wildcard must stand in the
 * certificate as it is.
 */
export function coversName(names: readonly string[], wanted: string): boolean {
  if (isIP(wanted) !== 0) {
    const address = toCanonicalIp(wanted);
    return names.some((name) => isIP(name) !== 0 && toCanonicalIp(name) === address);
  }
  const host = toComparable(wanted);
  return host !== "" && names.some((name) => isIP(name) === 0 && coversHost(toComparable(name), host));
}

function coversHost(name: string, host: string): boolean {
  if (name === host) {
    return true;
  }
  if (!name.startsWith("*.") || host.startsWith("*.")) {
    return false;
  }
  const firstDot = host.indexOf(".");
  return firstDot > 0 && host.slice(firstDot) === name.slice(1) && name.length > "*.".length;
}

/** Lower case, punycode, without the dot of the root. */
function toComparable(name: string): string {
  const withoutRoot = name.endsWith(".") ? name.slice(0, -1) : name;
  const isWildcard = withoutRoot.startsWith("*.");
  const rest = isWildcard ? withoutRoot.slice(2) : withoutRoot;
  const ascii = domainToASCII(rest) || rest.toLowerCase();
  return isWildcard ? `*.${ascii}` : ascii;
}
