import { isIP, SocketAddress } from "node:net";

/**
 * The DNS names and IP addresses of a subject alternative name extension as Node prints it, in its order; IPv6
 * addresses in their short form. Entries of other types and addresses of a wrong length are left out.
 *
 * Node quotes a value as a JSON string when it holds a comma, a quote or anything unprintable
 * (Node documentation, `x509.subjectAltName`).
 */
export function parseSubjectAltName(text: string | undefined): readonly string[] {
  const names: string[] = [];
  let position = 0;
  while (text !== undefined && position < text.length) {
    const colon = text.indexOf(":", position);
    if (colon === -1) {
      break;
    }
    const end = findEntryEnd(text, colon + 1);
    const name = toName(text.slice(position, colon), text.slice(colon + 1, end));
    if (name !== undefined) {
      names.push(name);
    }
    position = end + ", ".length;
  }
  return names;
}

/** The shortest usual form of an IP address, so that two spellings of it can be compared. */
export function toCanonicalIp(address: string): string {
  return isIP(address) === 6 ? new SocketAddress({ address, family: "ipv6" }).address : address;
}

function findEntryEnd(text: string, start: number): number {
  if (text[start] !== '"') {
    const comma = text.indexOf(", ", start);
    return comma === -1 ? text.length : comma;
  }
  let position = start + 1;
  while (position < text.length && text[position] !== '"') {
    position += text[position] === "\\" ? 2 : 1;
  }
  return Math.min(position + 1, text.length);
}

function toName(type: string, printed: string): string | undefined {
  const value = printed.startsWith('"') ? parseQuoted(printed) : printed;
  if (type === "DNS") {
    return value;
  }
  if (type === "IP Address" && value !== undefined && isIP(value) !== 0) {
    return toCanonicalIp(value);
  }
  return undefined;
}

function parseQuoted(printed: string): string | undefined {
  try {
    return String(JSON.parse(printed));
  } catch {
    // Not what Node prints, so nothing that could be relied on as a name.
    return undefined;
  }
}
