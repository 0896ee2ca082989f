import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { KeyType } from "../core/certificate-facts.ts";
import type { ProbeResult } from "../core/probe-result.ts";
import type { Clock } from "../system/clock.ts";
import { chooseFarewell, choosePrelude } from "./choose-prelude.ts";
import { overwriteClientCertificate, readClientCertificate } from "./client-certificate.ts";
import { describeServed } from "./describe-served.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Handshake, performHandshake } from "./handshake.ts";
import { countListeners, handshakesToMeetAll } from "./listeners.ts";
import { localhostAddresses, mergeLocalhost } from "./localhost.ts";
import { mergeServed } from "./merge-served.ts";
import { chooseOffers, everything, isRefused, type Offer } from "./offer.ts";
import type { ProbeLimits } from "./probe-limits.ts";
import { createProxyHeader } from "./proxy-header.ts";
import { type ClientCertificate, getSecureContext } from "./secure-context.ts";
import { chooseServerName } from "./server-name.ts";
import type { HandshakeOutcome } from "./tls-client.ts";

/** How to look at an endpoint. */
export interface ProbeOptions {
  readonly limits: ProbeLimits;
  readonly clock: Clock;
  /** Ends the probe at once; its result then has the reason `cancelled`. */
  readonly signal: AbortSignal;
  /** Sent as SNI where the endpoint names none: what `firstServerName` makes of the volume's names. */
  readonly defaultServerName: string | undefined;
  /**
   * Key type of the certificate in the volume: a server with several shows the one of this type. A server that has
   * none of this type is asked again without the preference, and with all that there is to offer.
   */
  readonly preferKeyType?: KeyType | undefined;
  /** Chain of the certificate in the volume (`CertificateFacts.chain`): makes sure of it where it is out of order. */
  readonly expectedChain?: readonly string[] | undefined;
  /** Certificates of the CA file: `trust` is then part of the result. */
  readonly authorities?: readonly X509Certificate[] | undefined;
}

/**
 * Learns by a fresh handshake which certificate an endpoint serves, or by several where several could answer; dates,
 * names and path are reported at most, never judged. Never rejects for what a server does.
 */
export async function probeEndpoint(endpoint: Endpoint, options: ProbeOptions): Promise<ProbeResult> {
  const client = await readClient(endpoint);
  if (typeof client === "string") {
    return { kind: "unreachable", reason: "client-certificate-unusable", detail: client, durationMs: 0 };
  }
  try {
    if (endpoint.socketPath === undefined && /^localhost\.?$/.test(endpoint.host)) {
      const [ipv4, ipv6] = localhostAddresses;
      return mergeLocalhost(
        ...(await Promise.all([
          probeListeners({ ...endpoint, host: ipv4 }, options, client),
          probeListeners({ ...endpoint, host: ipv6 }, options, client),
        ])),
      );
    }
    return await probeListeners(endpoint, options, client);
  } finally {
    if (client !== undefined) {
      overwriteClientCertificate(client);
    }
  }
}

async function readClient(endpoint: Endpoint): Promise<ClientCertificate | undefined | string> {
  const { clientCertificateFile, clientKeyFile } = endpoint;
  if (clientCertificateFile === undefined || clientKeyFile === undefined) {
    return undefined;
  }
  const read = await readClientCertificate(clientCertificateFile, clientKeyFile);
  if (read.kind === "unusable") {
    return read.detail;
  }
  try {
    getSecureContext(everything, read.pair);
    return read.pair;
  } catch {
    // OpenSSL's words may hold parts of what it read.
    overwriteClientCertificate(read.pair);
    return `${clientCertificateFile} and ${clientKeyFile} are no pair of PEM certificate and unencrypted key`;
  }
}

/** Of the processes that share a port of loopback each may serve another certificate: all of them are to be met. */
async function probeListeners(
  endpoint: Endpoint,
  options: ProbeOptions,
  client: ClientCertificate | undefined,
): Promise<ProbeResult> {
  const { host, port, socketPath } = endpoint;
  const { clock } = options;
  const isShared = socketPath === undefined && isLoopback(host);
  const listeners = isShared ? await countListeners(host, port, clock.now().monotonicMs) : 1;
  const probe = (): Promise<ProbeResult> => probeAddress(endpoint, options, client);
  const more = Array.from({ length: handshakesToMeetAll(listeners) - 1 }, probe);
  return mergeServed(await Promise.all([probe(), ...more]));
}

async function probeAddress(
  endpoint: Endpoint,
  options: ProbeOptions,
  client: ClientCertificate | undefined,
): Promise<ProbeResult> {
  const { clock, limits, signal, preferKeyType } = options;
  const startedMs = clock.now().monotonicMs;
  const elapsedMs = (): number => clock.now().monotonicMs - startedMs;
  const attempt = (offer: Offer): Promise<HandshakeOutcome> => {
    const context = getSecureContext(offer, client);
    return performHandshake(plan(endpoint, options, context, limits.wholeMs - elapsedMs()), clock, signal);
  };

  const [first, ...others] = chooseOffers(preferKeyType);
  let offer = first;
  let outcome = await attempt(offer);
  for (const next of others) {
    if (outcome.kind !== "unreachable" || !isRefused(offer, outcome)) break;
    const again = await attempt(next);
    // With no time left to ask, the first answer is the better reason.
    if (again.kind === "unreachable" && again.reason === "timed-out") break;
    outcome = again;
    offer = next;
  }
  if (outcome.kind === "unreachable") {
    const { kind, reason, detail } = outcome;
    return { kind, reason, detail, durationMs: elapsedMs() };
  }
  const name = chooseServerName(endpoint, options.defaultServerName) ?? getPublicAddress(endpoint.host);
  const expectations = { name, authorities: options.authorities, nowMs: clock.now().wallMs };
  return describeServed(outcome, expectations, elapsedMs());
}

function plan(
  endpoint: Endpoint,
  { defaultServerName, expectedChain, limits }: ProbeOptions,
  secureContext: Handshake["secureContext"],
  leftMs: number,
): Handshake {
  const { socketPath, host, port, scheme, proxyHeader } = endpoint;
  const serverName = chooseServerName(endpoint, defaultServerName);
  return {
    address: socketPath === undefined ? { host, port } : { path: socketPath },
    scheme,
    serverName,
    proxyHeader: proxyHeader === undefined ? undefined : createProxyHeader(proxyHeader),
    createPrelude: () => choosePrelude(scheme, serverName ?? (isIP(host) === 0 && host !== "" ? host : "localhost")),
    createFarewell: () => (socketPath !== undefined || isLoopback(host) ? undefined : chooseFarewell(scheme)),
    secureContext,
    expectedChain,
    limits,
    leftMs,
  };
}

/** The IP address that a certificate could be for: nobody has one for the machine's own loopback. */
function getPublicAddress(host: string): string | undefined {
  return isIP(host) === 0 || isLoopback(host) ? undefined : host;
}

function isLoopback(host: string): boolean {
  return host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
