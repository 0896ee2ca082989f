import fc from "fast-check";

/** One change to the bytes of a file; positions are fractions of its length, so that every change fits every file. */
export type Mutation =
  | { readonly kind: "flip"; readonly at: number; readonly bit: number }
  | { readonly kind: "cut"; readonly at: number }
  | { readonly kind: "remove"; readonly at: number; readonly length: number }
  | { readonly kind: "repeat"; readonly at: number; readonly length: number }
  | { readonly kind: "insert"; readonly at: number; readonly text: string }
  /** Changes a byte of the DER within a block, so that the PEM stays well-formed. */
  | { readonly kind: "der"; readonly block: number; readonly at: number; readonly byte: number };

const pieces = [
  "\n",
  "\r",
  "\r\n",
  " ",
  "\0",
  "=",
  ":",
  "-",
  "-----",
  "\n\n",
  "\ufeff",
  "-----BEGIN CERTIFICATE-----",
  "-----END CERTIFICATE-----",
  "-----BEGIN PRIVATE KEY-----\n",
  "\n-----END PRIVATE KEY-----\n",
  "-----BEGIN ",
  "Proc-Type: 4,ENCRYPTED\n",
  "DEK-Info: AES-128-CBC,00\n\n",
  "A".repeat(300),
];

const place: fc.Arbitrary<number> = fc.double({ min: 0, max: 1, noNaN: true });

/** Any mutation. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: place, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant("cut" as const), at: place }),
  fc.record({ kind: fc.constant("remove" as const), at: place, length: fc.nat(200) }),
  fc.record({ kind: fc.constant("repeat" as const), at: place, length: fc.nat(2000) }),
  fc.record({ kind: fc.constant("insert" as const), at: place, text: fc.constantFrom(...pieces) }),
  fc.record({ kind: fc.constant("der" as const), block: fc.nat(3), at: place, byte: fc.nat(255) }),
);

/** Applies the mutations one after another to a copy. */
export function mutate(bytes: Uint8Array, mutations: readonly Mutation[]): Buffer {
  return mutations.reduce<Buffer>((current, change) => apply(current, change), Buffer.from(bytes));
}

function apply(bytes: Buffer, change: Mutation): Buffer {
  const at = Math.floor(change.at * bytes.length);
  switch (change.kind) {
    case "flip": {
      const copy = Buffer.from(bytes);
      if (at < copy.length) {
        copy[at] = (copy[at] ?? 0) ^ (1 << change.bit);
      }
      return copy;
    }
    case "cut":
      return bytes.subarray(0, at);
    case "remove":
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + change.length)]);
    case "repeat":
      return Buffer.concat([bytes.subarray(0, at + change.length), bytes.subarray(at)]);
    case "der":
      return changeDer(bytes, change);
    case "insert":
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(change.text), bytes.subarray(at)]);
  }
}

function changeDer(bytes: Buffer, change: Extract<Mutation, { kind: "der" }>): Buffer {
  let index = -1;
  const text = bytes
    .toString("latin1")
    .replace(/(-----BEGIN [^-]+-----\n)([^-]+)(-----END)/g, (whole, begin, body, end) => {
      index += 1;
      if (index !== change.block) {
        return whole;
      }
      const der = Buffer.from(body, "base64");
      der[Math.min(Math.floor(change.at * der.length), der.length - 1)] = change.byte;
      return `${begin}${der.toString("base64").replace(/(.{64})/g, "$1\n")}\n${end}`;
    });
  return Buffer.from(text, "latin1");
}
