import fc from "fast-check";
import { expect, test } from "vitest";
import { measureDer, readDer } from "../../../src/probe/der.ts";
import { readOcspStaple } from "../../../src/probe/ocsp-staple.ts";

/** An element as DER writes it. */
function encode(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const header = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), content]);
}

const elements = fc.tuple(
  fc.integer({ min: 0, max: 255 }).filter((tag) => (tag & 0x1f) !== 0x1f),
  fc.uint8Array({ maxLength: 400 }),
);

test("what was written is read again", () => {
  fc.assert(
    fc.property(fc.array(elements, { maxLength: 6 }), (list) => {
      const bytes = Buffer.concat(list.map(([tag, content]) => encode(tag, content)));
      expect(readDer(bytes)).toEqual(list.map(([tag, content]) => ({ tag, content: Buffer.from(content) })));
    }),
  );
});

test("a part of an element is measured as the whole or not yet, and never read", () => {
  fc.assert(
    fc.property(elements, fc.nat(), ([tag, content], place) => {
      const whole = encode(tag, content);
      const part = whole.subarray(0, place % whole.length);
      expect([undefined, whole.length]).toContain(measureDer(part));
      expect(part.length === 0 ? undefined : readDer(part)).toBeUndefined();
    }),
  );
});

test("any bytes are an OCSP staple or none", () => {
  const nested = fc.uint8Array({ maxLength: 200 }).map((bytes) => encode(0x30, encode(0xa0, encode(0x30, bytes))));
  fc.assert(
    fc.property(fc.oneof(nested, fc.uint8Array({ maxLength: 400 })), (bytes) => {
      expect(readOcspStaple(Buffer.from(bytes))?.status ?? "none").toMatch(/^(good|revoked|unknown|none)$/);
    }),
    { numRuns: 1000 },
  );
});
