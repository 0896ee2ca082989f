/** What a prelude wants next. */
export type PreludeStep =
  | { readonly kind: "send"; readonly bytes: Buffer }
  | {
      readonly kind: "read";
      /** What is waited for, for the words of a failure. */
      readonly what: string;
      /**
       * The length of the message that `received` begins with, which may be more than there is; undefined while it
       * can't be told.
       */
      readonly measure: (received: Buffer) => number | undefined;
    }
  | { readonly kind: "refuse"; readonly detail: string };

/**
 * The talk in plain text before a ClientHello (STARTTLS), as a script without I/O: it yields what to send and what to
 * read, and gets each message that was read. Its end means that the server now waits for a ClientHello.
 */
export type Prelude = Generator<PreludeStep, void, Buffer>;

/** A part of a prelude that ends in a value. */
export type PreludePart<T> = Generator<PreludeStep, T, Buffer>;

/** Sends bytes; text goes out as Latin-1. */
export function* send(bytes: Buffer | string): PreludePart<void> {
  yield { kind: "send", bytes: typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes };
}

/** Reads one message. */
export function* read(what: string, measure: (received: Buffer) => number | undefined): PreludePart<Buffer> {
  return yield { kind: "read", what, measure };
}

/** Reads one line; its end (LF, or CR and LF) is left out. */
export function* readLine(what: string): PreludePart<string> {
  const line = yield* read(what, (received) => {
    const end = received.indexOf(0x0a);
    return end === -1 ? undefined : end + 1;
  });
  return line.toString("latin1").replace(/\r?\n$/, "");
}

/** Ends the prelude: the server can't or won't begin TLS. `detail` follows the server's address in a sentence. */
export function* refuse(detail: string): PreludePart<never> {
  yield { kind: "refuse", detail };
  throw new Error("a refused prelude was resumed");
}
