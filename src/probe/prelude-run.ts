import type { Prelude, PreludeStep } from "./prelude.ts";

/** How a prelude stands after the bytes so far. */
export type PreludeState =
  | { readonly kind: "waiting"; readonly what: string }
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly detail: string };

/** A prelude under way. */
export interface PreludeRun {
  /** Takes what the server sent: nothing to begin with. After `ready` or `refused` it takes no more. */
  receive(bytes: Buffer): PreludeState;
}

/** The most a server may say before TLS, all messages together. */
export const longestPrelude: number = 32 * 1024;

type Reading = Extract<PreludeStep, { kind: "read" }>;
type Reaction = { readonly kind: "resume"; readonly message: Buffer } | PreludeState;

const nothing: Buffer = Buffer.alloc(0);

/**
 * Runs a prelude over whatever pieces the server's bytes come in. It is strict: a server that speaks out of turn is
 * refused, above all with bytes after its last reply, which would otherwise be taken for part of the protected
 * conversation (the STARTTLS injection of CVE-2011-0411 and CVE-2021-23222).
 */
export function createPreludeRun(prelude: Prelude, sendBytes: (bytes: Buffer) => void): PreludeRun {
  let received = nothing;
  let total = 0;
  let pending: Reading | undefined;
  let settled: PreludeState | undefined;

  const takeMessage = (reading: Reading): Reaction => {
    const length = reading.measure(received);
    const used = total - received.length + (length ?? received.length);
    if (length === undefined ? used >= longestPrelude : used > longestPrelude) {
      return length !== undefined && length > received.length
        ? { kind: "refused", detail: `announced a ${reading.what} of ${length} bytes` }
        : { kind: "refused", detail: `sent ${longestPrelude} bytes without coming to the end of its ${reading.what}` };
    }
    if (length === undefined || length > received.length) {
      return { kind: "waiting", what: reading.what };
    }
    const message = received.subarray(0, length);
    received = received.subarray(length);
    pending = undefined;
    return { kind: "resume", message };
  };
  const takeStep = (step: PreludeStep): Reaction => {
    switch (step.kind) {
      case "refuse":
        return { kind: "refused", detail: step.detail };
      case "read":
        pending = step;
        return takeMessage(step);
      case "send":
        if (received.length > 0) {
          return { kind: "refused", detail: `spoke out of turn: ${received.length} bytes that nobody asked for` };
        }
        sendBytes(step.bytes);
        return { kind: "resume", message: nothing };
    }
  };
  const finish = (): PreludeState =>
    received.length === 0
      ? { kind: "ready" }
      : { kind: "refused", detail: `sent ${received.length} bytes more than its reply before TLS began` };

  return {
    receive(bytes) {
      if (settled !== undefined) {
        return settled;
      }
      total += bytes.length;
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
      let reaction: Reaction = pending === undefined ? { kind: "resume", message: nothing } : takeMessage(pending);
      while (reaction.kind === "resume") {
        const next = prelude.next(reaction.message);
        reaction = next.done === true ? finish() : takeStep(next.value);
      }
      if (reaction.kind !== "waiting") {
        settled = reaction;
        received = nothing;
      }
      return reaction;
    },
  };
}
