/** One element of BER with a definite length (X.690 section 8.1): what LDAP and OCSP are made of. */
export interface DerElement {
  /** The identifier octet; tags above 30 are not read. */
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * The length of the element that the bytes begin with, header included; undefined while the header isn't complete,
 * null where it can't be one that DER or LDAP would use.
 */
export function measureDer(bytes: Buffer): number | undefined | null {
  const tag = bytes[0];
  const first = bytes[1];
  if (tag === undefined || first === undefined) {
    return undefined;
  }
  if ((tag & 0x1f) === 0x1f) {
    return null;
  }
  if (first < 0x80) {
    return 2 + first;
  }
  const lengthBytes = first & 0x7f;
  if (lengthBytes === 0 || lengthBytes > 4) {
    return null;
  }
  return bytes.length < 2 + lengthBytes ? undefined : 2 + lengthBytes + bytes.readUIntBE(2, lengthBytes);
}

/** The elements that the bytes consist of, one behind the other; undefined where they don't come out even. */
export function readDer(bytes: Buffer): readonly DerElement[] | undefined {
  const elements: DerElement[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const length = measureDer(rest);
    const tag = rest[0];
    if (typeof length !== "number" || length > rest.length || tag === undefined) {
      return undefined;
    }
    const first = rest[1] ?? 0;
    elements.push({ tag, content: rest.subarray(first < 0x80 ? 2 : 2 + (first & 0x7f), length) });
    rest = rest.subarray(length);
  }
  return elements;
}

/** What an element of this tag consists of; nothing where it is none, or can't be read. */
export function childrenOf(element: DerElement | undefined, tag: number): readonly DerElement[] {
  return element?.tag === tag ? (readDer(element.content) ?? []) : [];
}
