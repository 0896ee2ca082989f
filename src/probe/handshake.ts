import { createConnection, type Socket } from "node:net";
import { connect, type SecureContext, type TLSSocket } from "node:tls";
import { readFacts } from "../certificate/facts.ts";
import type { ProbeResult } from "../core/probe-result.ts";
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
import { type PresentedChain, takePresentedChain } from "./served-certificate.ts";

/** One connection to make, with everything decided. */
export interface Handshake {
  readonly address: { readonly host: string; readonly port: number } | { readonly path: string };
  /** `tls`, or the scheme whose prelude comes first. */
  readonly scheme: string;
  readonly serverName: string | undefined;
  /** Bytes to send before anything else. */
  readonly proxyHeader: Buffer | undefined;
  readonly secureContext: SecureContext;
  readonly timeoutMs: number;
}

/**
 * Connects, shakes hands once and hangs up. Settles within the time limit, or at once when `signal` aborts; the socket
 * is destroyed by then. Never rejects for what a server does.
 */
export function performHandshake(handshake: Handshake, clock: Clock, signal: AbortSignal): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const startedMs = clock.now().monotonicMs;
    let step: ProbeStep = "connect";
    let bytesBefore = 0;
    let tlsSocket: TLSSocket | undefined;
    let isSettled = false;

    const socket: Socket = createConnection(handshake.address);
    const describe = (): Circumstances => ({
      step,
      place: describePlace(handshake.address),
      scheme: handshake.scheme,
      serverName: handshake.serverName,
      sentProxyHeader: handshake.proxyHeader !== undefined,
      handshakeBytes: socket.bytesRead - bytesBefore,
    });
    const settle = (toResult: (durationMs: number) => ProbeResult): void => {
      if (isSettled) {
        return;
      }
      isSettled = true;
      const result = toResult(clock.now().monotonicMs - startedMs);
      cancelTimeout();
      signal.removeEventListener("abort", cancel);
      tlsSocket?.destroy();
      socket.destroy();
      resolve(result);
    };
    const fail = (failure: Failure): void => settle((durationMs) => ({ kind: "unreachable", ...failure, durationMs }));
    const cancel = (): void => fail({ reason: "cancelled", detail: "the probe was cancelled" });
    const cancelTimeout = clock.after(handshake.timeoutMs, () => fail(explainTimeout(handshake.timeoutMs, describe())));
    const startTls = (): void => {
      step = "handshake";
      bytesBefore = socket.bytesRead;
      const secured = connect({
        socket,
        secureContext: handshake.secureContext,
        rejectUnauthorized: false,
        ...(handshake.serverName === undefined ? {} : { servername: handshake.serverName }),
      });
      tlsSocket = secured;
      secured.on("secureConnect", () => settle((durationMs) => toServed(secured, durationMs, describe())));
      secured.on("error", (error) => {
        const chain = isSettled || !isJudgedAsClient(secured, error) ? undefined : takePresentedChain(secured);
        const at = describe();
        settle((durationMs) =>
          chain === undefined
            ? { kind: "unreachable", ...explainError(error, at), durationMs }
            : describeServed(secured, chain, durationMs, at),
        );
      });
      secured.on("close", () => fail(explainClose(describe())));
    };

    signal.addEventListener("abort", cancel, { once: true });
    socket.on("error", (error) => fail(explainError(error, describe())));
    socket.on("close", () => fail(explainClose(describe())));
    socket.on("connect", () => {
      if (handshake.proxyHeader !== undefined) {
        socket.write(handshake.proxyHeader);
      }
      startTls();
    });
    if (signal.aborted) {
      cancel();
    }
  });
}

/**
 * Up to TLS 1.2 a server judges the client's certificate before the handshake is over, but after its own was seen and
 * its signature checked. TLS 1.3 ends the handshake first.
 */
function isJudgedAsClient(socket: TLSSocket, error: unknown): boolean {
  return socket.getProtocol() !== "TLSv1.3" && isAboutClientCertificate(error);
}

function toServed(socket: TLSSocket, durationMs: number, at: Circumstances): ProbeResult {
  if (socket.isSessionReused()) {
    const detail = `${at.place} resumed an earlier session, which shows no certificate`;
    return { kind: "unreachable", reason: "resumed-session", detail, durationMs };
  }
  const chain = takePresentedChain(socket);
  if (chain === undefined) {
    const detail = `${at.place} finished the handshake without a certificate`;
    return { kind: "unreachable", reason: "handshake-failed", detail, durationMs };
  }
  return describeServed(socket, chain, durationMs, at);
}

function describeServed(socket: TLSSocket, chain: PresentedChain, durationMs: number, at: Circumstances): ProbeResult {
  try {
    return {
      kind: "served",
      certificate: readFacts(chain.leaf, chain.others),
      protocol: socket.getProtocol() ?? "unknown",
      cipher: socket.getCipher()?.standardName ?? "unknown",
      durationMs,
    };
  } catch {
    // OpenSSL took the certificate for the handshake, yet some field of it can't be decoded.
    const detail = `the certificate that ${at.place} presented can't be read`;
    return { kind: "unreachable", reason: "handshake-failed", detail, durationMs };
  }
}

function describePlace(address: Handshake["address"]): string {
  if ("path" in address) {
    return address.path;
  }
  return address.host.includes(":") ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
}
