import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { choosePrelude } from "../../../src/probe/choose-prelude.ts";
import type { EndpointScheme } from "../../../src/probe/endpoint-scheme.ts";
import { createPreludeRun, longestPrelude, type PreludeState } from "../../../src/probe/prelude-run.ts";
import { greetings } from "../../support/odd-server-talk.ts";

type Talking = Exclude<EndpointScheme, "tls">;

function play(scheme: Talking, chunks: readonly Buffer[]): { state: PreludeState; sentBytes: number } {
  const prelude = choosePrelude(scheme, "x.example");
  if (prelude === undefined) {
    throw new Error(`${scheme} has no prelude`);
  }
  let sentBytes = 0;
  const run = createPreludeRun(prelude, (bytes) => {
    sentBytes += bytes.length;
  });
  let state = run.receive(Buffer.alloc(0));
  for (const chunk of chunks) {
    state = run.receive(chunk);
  }
  return { state, sentBytes };
}

/** Cuts bytes at the given places, each taken modulo the length. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const borders = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return borders.slice(1).map((border, index) => bytes.subarray(borders[index], border));
}

const places = fc.array(fc.nat(), { maxLength: 12 });

describe.each(Object.keys(greetings) as Talking[])("%s", (scheme) => {
  const messages = greetings[scheme].map((message) => Buffer.from(message, "latin1"));

  test("an ordinary server is understood in whatever pieces its messages come", () => {
    fc.assert(
      fc.property(fc.array(places, { minLength: messages.length, maxLength: messages.length }), (cuts) => {
        const chunks = messages.flatMap((message, index) => cut(message, cuts[index] ?? []));
        expect(play(scheme, chunks).state).toEqual({ kind: "ready" });
      }),
    );
  });

  test("one more byte behind the last reply is never part of TLS", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (extra) => {
        const last = Buffer.concat([messages.at(-1) ?? Buffer.alloc(0), extra]);
        expect(play(scheme, [...messages.slice(0, -1), last]).state.kind).not.toBe("ready");
      }),
    );
  });

  test("any bytes leave it waiting, ready or refused, in harmless words, after a bounded exchange", () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(...messages),
      fc.tuple(fc.constantFrom(...messages), fc.nat(), fc.nat({ max: 255 })).map(([message, place, value]) => {
        const changed = Buffer.from(message);
        changed[place % changed.length] = value;
        return changed;
      }),
      fc.constantFrom("\r\n", "220-\r\n", "* \r\n", "<", ">", "\u0000").map((text) => Buffer.alloc(9000, text)),
    );
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 12 }), (chunks) => {
        const { state, sentBytes } = play(scheme, chunks);
        expect(sentBytes).toBeLessThan(1000);
        if (state.kind === "refused") {
          expect(state.detail).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,300}$/u);
        }
        if (state.kind === "waiting") {
          expect(chunks.reduce((sum, chunk) => sum + chunk.length, 0)).toBeLessThanOrEqual(longestPrelude);
        }
      }),
      { numRuns: 500 },
    );
  });
});
