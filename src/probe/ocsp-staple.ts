import { childrenOf, type DerElement, readDer } from "./der.ts";

/** What a stapled OCSP response says. */
export interface OcspStaple {
  /** Upper-case hex of the certificate it is for, as certificates print it. */
  readonly serialNumber: string;
  readonly status: "good" | "revoked" | "unknown";
}

const basicResponseOid = Buffer.from([0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01]);
const sequence = 0x30;
const objectIdentifier = 0x06;
const octetString = 0x04;
const integer = 0x02;
const context0 = 0xa0;
const generalizedTime = 0x18;

/**
 * Reads the first single response of an OCSP response (RFC 6960 section 4.2.1); its signature is not checked.
 * Undefined where it is something else, or an answer without one ("try later").
 */
export function readOcspStaple(der: Buffer): OcspStaple | undefined {
  const [, holder] = childrenOf(only(readDer(der)), sequence);
  const [type, octets] = childrenOf(only(childrenOf(holder, context0)), sequence);
  if (type?.tag !== objectIdentifier || !type.content.equals(basicResponseOid) || octets?.tag !== octetString) {
    return undefined;
  }
  const [data] = childrenOf(only(readDer(octets.content)), sequence);
  const fields = childrenOf(data, sequence);
  const producedAt = fields.findIndex((field) => field.tag === generalizedTime);
  const [single] = childrenOf(producedAt === -1 ? undefined : fields[producedAt + 1], sequence);
  const [certificateId, status] = childrenOf(single, sequence);
  const serial = childrenOf(certificateId, sequence)[3];
  const statusName = toStatus(status?.tag);
  if (serial?.tag !== integer || statusName === undefined) {
    return undefined;
  }
  return { serialNumber: toSerialNumber(serial.content), status: statusName };
}

function only(elements: readonly DerElement[] | undefined): DerElement | undefined {
  return elements?.length === 1 ? elements[0] : undefined;
}

/** CertStatus is a choice of three context tags. */
function toStatus(tag: number | undefined): OcspStaple["status"] | undefined {
  switch (tag) {
    case 0x80:
      return "good";
    case 0xa1:
      return "revoked";
    case 0x82:
      return "unknown";
    default:
      return undefined;
  }
}

/** Without the zero byte that keeps a large number positive. */
function toSerialNumber(content: Buffer): string {
  const digits = content.toString("hex").toUpperCase();
  return digits.length > 2 && digits.startsWith("00") ? digits.slice(2) : digits;
}
