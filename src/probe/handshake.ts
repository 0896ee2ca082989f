import { createConnection, isIP } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import type { Clock } from "../system/clock.ts";
import {
  type Circumstances,
  explainClose,
  explainError,
  explainTimeout,
  type Failure,
  type ProbeStep,
} from "./failure.ts";
import type { Prelude } from "./prelude.ts";
import { holdTalk } from "./prelude-talk.ts";
import type { ProbeLimits } from "./probe-limits.ts";
import { type HandshakeOutcome, startTlsClient } from "./tls-client.ts";

/** One connection to make, with everything decided. */
export interface Handshake {
  readonly address: { readonly host: string; readonly port: number } | { readonly path: string };
  /** `tls`, or the scheme whose prelude comes first; for the words of a failure. */
  readonly scheme: string;
  readonly serverName: string | undefined;
  /** Bytes to send before anything else. */
  readonly proxyHeader: Buffer | undefined;
  /** Makes what is to be said before the ClientHello. */
  readonly createPrelude: () => Prelude | undefined;
  /** Makes what is to be said inside TLS before hanging up. */
  readonly createFarewell: () => Prelude | undefined;
  readonly secureContext: SecureContext;
  /** Fingerprints of the chain in the volume, as in `CertificateFacts.chain`. */
  readonly expectedChain: readonly string[] | undefined;
  readonly limits: ProbeLimits;
  /** What is left of the time for the whole probe. */
  readonly leftMs: number;
}

/**
 * Connects, shakes hands once and hangs up as TLS wants it: a server that is left in the middle of a handshake would
 * log an error for every probe. Settles within the time limits, or at once when `signal` aborts; the socket is destroyed
 * by then. Never rejects for what a server does.
 */
export function performHandshake(handshake: Handshake, clock: Clock, signal: AbortSignal): Promise<HandshakeOutcome> {
  return new Promise((resolve) => {
    const { address, limits } = handshake;
    let step: ProbeStep = "connect";
    let waitingFor = "connection";
    let bytesBefore = 0;
    let tlsSocket: TLSSocket | undefined;
    let seen: HandshakeOutcome | undefined;
    // Of several addresses Node gives up each but the last after 250 ms, too early for far ones (nodejs/node#54359).
    const socket = createConnection({ ...address, autoSelectFamilyAttemptTimeout: Math.ceil(limits.stepMs / 2) });

    const describe = (): Circumstances => ({
      step,
      waitingFor,
      place: describePlace(address),
      scheme: handshake.scheme,
      serverName: handshake.serverName,
      sentProxyHeader: handshake.proxyHeader !== undefined,
      bytesInStep: socket.bytesRead - bytesBefore,
    });
    // The first cause of an ending wins: a promise takes no second answer.
    const settle = (outcome: HandshakeOutcome): void => {
      cancelWhole();
      cancelStep();
      signal.removeEventListener("abort", cancel);
      resolve(outcome);
      tlsSocket?.destroy();
      socket.destroy();
    };
    // What was seen stays seen, however the goodbye goes.
    const fail = (failure: Failure): void => settle(seen ?? { kind: "unreachable", ...failure });
    const cancel = (): void => settle({ kind: "unreachable", reason: "cancelled", detail: "the probe was cancelled" });
    const cancelWhole = clock.after(handshake.leftMs, () => fail(explainTimeout(limits.wholeMs, describe())));
    let cancelStep = (): void => undefined;
    const enter = (next: ProbeStep): void => {
      step = next;
      bytesBefore = socket.bytesRead;
      cancelStep();
      cancelStep = clock.after(limits.stepMs, () => fail(explainTimeout(limits.stepMs, describe())));
    };

    const startTls = (): void => {
      enter("handshake");
      const secured = startTlsClient(socket, handshake, clock, {
        onSeen: (outcome) => {
          seen = outcome;
          sayGoodbye(secured, handshake.createFarewell(), () => settle(outcome));
        },
        onError: (error) => fail(explainError(error, describe())),
        onClose: () => fail(explainClose(describe())),
        describePlace: () => describe().place,
      });
      tlsSocket = secured;
    };
    const startPrelude = (prelude: Prelude): void => {
      enter("prelude");
      holdTalk(socket, prelude, {
        onWaiting: (what) => {
          waitingFor = what;
        },
        onRefused: (detail) => fail({ reason: "prelude-failed", detail: `${describe().place} ${detail}` }),
        onReady: startTls,
      });
    };

    signal.addEventListener("abort", cancel, { once: true });
    enter("host" in address && isIP(address.host) === 0 ? "resolve" : "connect");
    socket.once("lookup", () => {
      if (!socket.destroyed) enter("connect");
    });
    socket.on("error", (error) => fail(explainError(error, describe())));
    socket.on("close", () => fail(explainClose(describe())));
    socket.on("connect", () => {
      if (handshake.proxyHeader !== undefined) {
        socket.write(handshake.proxyHeader);
      }
      const prelude = handshake.createPrelude();
      if (prelude === undefined) {
        startTls();
      } else {
        startPrelude(prelude);
      }
    });
    if (signal.aborted) {
      cancel();
    }
  });
}

/** Under TLS 1.3 the client's last message is still on its way out when the certificate is seen. */
function sayGoodbye(socket: TLSSocket, farewell: Prelude | undefined, done: () => void): void {
  // This only waits until everything went to the kernel.
  const end = (): void => void socket.end(done);
  if (farewell === undefined) {
    end();
    return;
  }
  holdTalk(socket, farewell, { onWaiting: () => undefined, onRefused: end, onReady: end });
}

function describePlace(address: Handshake["address"]): string {
  if ("path" in address) {
    return address.path;
  }
  return address.host.includes(":") ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
}
