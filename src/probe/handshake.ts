import { createConnection } from "node:net";
import { connect, type SecureContext, type TLSSocket } from "node:tls";
import type { Clock } from "../system/clock.ts";
import {
  type Circumstances,
  explainClose,
  explainError,
  explainTimeout,
  type Failure,
  isAboutClientCertificate,
  type ProbeStep,
} from "./failure.ts";
import type { Prelude } from "./prelude.ts";
import { createPreludeRun } from "./prelude-run.ts";
import { type PresentedChain, takePresentedChain } from "./presented-chain.ts";

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
  readonly secureContext: SecureContext;
  /** Fingerprints of the chain in the volume, as in `CertificateFacts.chain`. */
  readonly expectedChain: readonly string[] | undefined;
  /** The limit of the whole probe, for the words of a failure. */
  readonly timeoutMs: number;
  /** What is left of it. */
  readonly leftMs: number;
}

/** What the server presented, or why nothing was seen. */
export type HandshakeOutcome =
  | {
      readonly kind: "presented";
      readonly chain: PresentedChain;
      readonly protocol: string;
      readonly cipher: string;
      /** The stapled OCSP response (RFC 6066 section 8), DER. */
      readonly staple: Buffer | undefined;
    }
  | ({ readonly kind: "unreachable" } & Failure);

type Settle = (outcome: HandshakeOutcome) => void;

/**
 * Connects, shakes hands once and hangs up as TLS wants it: a server that is left in the middle of a handshake would
 * log an error for every probe. Settles within the time limit, or at once when `signal` aborts; the socket
 * is destroyed by then. Never rejects for what a server does.
 */
export function performHandshake(handshake: Handshake, clock: Clock, signal: AbortSignal): Promise<HandshakeOutcome> {
  return new Promise((resolve) => {
    let step: ProbeStep = "connect";
    let waitingFor = "connection";
    let bytesBefore = 0;
    let tlsSocket: TLSSocket | undefined;
    const socket = createConnection(handshake.address);

    const describe = (): Circumstances => ({
      step,
      waitingFor,
      place: describePlace(handshake.address),
      scheme: handshake.scheme,
      serverName: handshake.serverName,
      sentProxyHeader: handshake.proxyHeader !== undefined,
      bytesInStep: socket.bytesRead - bytesBefore,
    });
    // The first cause of an ending wins: a promise takes no second answer.
    const settle: Settle = (outcome) => {
      cancelTimeout();
      signal.removeEventListener("abort", cancel);
      resolve(outcome);
      tlsSocket?.destroy();
      socket.destroy();
    };
    const fail = (failure: Failure): void => settle({ kind: "unreachable", ...failure });
    const cancel = (): void => fail({ reason: "cancelled", detail: "the probe was cancelled" });
    const cancelTimeout = clock.after(handshake.leftMs, () => fail(explainTimeout(handshake.timeoutMs, describe())));

    const startTls = (): void => {
      step = "handshake";
      bytesBefore = socket.bytesRead;
      tlsSocket = connect({
        socket,
        secureContext: handshake.secureContext,
        rejectUnauthorized: false,
        requestOCSP: true,
        ...(handshake.serverName === undefined ? {} : { servername: handshake.serverName }),
      });
      watchTls(tlsSocket, handshake.expectedChain, describe, settle);
    };
    const startPrelude = (prelude: Prelude): void => {
      step = "prelude";
      bytesBefore = socket.bytesRead;
      const run = createPreludeRun(prelude, (bytes) => socket.write(bytes));
      const receive = (bytes: Buffer): void => {
        const state = run.receive(bytes);
        switch (state.kind) {
          case "waiting":
            waitingFor = state.what;
            return;
          case "refused":
            fail({ reason: "prelude-failed", detail: `${describe().place} ${state.detail}` });
            return;
          case "ready":
            socket.off("data", receive);
            startTls();
        }
      };
      socket.on("data", receive);
      receive(Buffer.alloc(0));
    };

    signal.addEventListener("abort", cancel, { once: true });
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

function watchTls(
  socket: TLSSocket,
  expectedChain: readonly string[] | undefined,
  describe: () => Circumstances,
  settle: Settle,
): void {
  let staple: Buffer | undefined;
  let seen: HandshakeOutcome | undefined;
  const present = (chain: PresentedChain): HandshakeOutcome => ({
    kind: "presented",
    chain,
    protocol: socket.getProtocol() ?? "unknown",
    cipher: socket.getCipher()?.standardName ?? "unknown",
    staple,
  });
  const takeOutcome = (): HandshakeOutcome => {
    if (socket.isSessionReused()) {
      const detail = `${describe().place} resumed an earlier session, which shows no certificate`;
      return { kind: "unreachable", reason: "resumed-session", detail };
    }
    const chain = takeChain(socket, expectedChain);
    const detail = `${describe().place} finished the handshake without a certificate that can be read`;
    return chain === undefined ? { kind: "unreachable", reason: "handshake-failed", detail } : present(chain);
  };
  socket.on("OCSPResponse", (response: Buffer | null) => {
    staple = response ?? undefined;
  });
  socket.once("secureConnect", () => {
    const outcome = takeOutcome();
    seen = outcome;
    // Under TLS 1.3 the client's last message is still on its way out; it and the goodbye only go to the kernel here.
    socket.end(() => settle(outcome));
  });
  socket.on("error", (error) => {
    // Up to TLS 1.2 a server judges the client's certificate before the handshake is over, but after its own was seen
    // and its signature checked. TLS 1.3 ends the handshake first.
    const isJudged = seen === undefined && socket.getProtocol() !== "TLSv1.3" && isAboutClientCertificate(error);
    const chain = isJudged ? takeChain(socket, expectedChain) : undefined;
    const failure: HandshakeOutcome = { kind: "unreachable", ...explainError(error, describe()) };
    settle(seen ?? (chain === undefined ? failure : present(chain)));
  });
  socket.on("close", () => settle(seen ?? { kind: "unreachable", ...explainClose(describe()) }));
}

/** Undefined as well for a certificate that OpenSSL took for the handshake and yet can't be decoded. */
function takeChain(socket: TLSSocket, expectedChain: readonly string[] | undefined): PresentedChain | undefined {
  try {
    return takePresentedChain(socket, expectedChain);
  } catch {
    // Said to the operator as a handshake without a usable certificate.
    return undefined;
  }
}

function describePlace(address: Handshake["address"]): string {
  if ("path" in address) {
    return address.path;
  }
  return address.host.includes(":") ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
}
