import type { ProbeResult } from "../core/probe-result.ts";
import type { Clock } from "../system/clock.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Handshake, performHandshake } from "./handshake.ts";
import { getSecureContext } from "./secure-context.ts";
import { chooseServerName } from "./server-name.ts";

/** How to look at an endpoint. */
export interface ProbeOptions {
  /** Limit for the whole probe: name resolution, connection, prelude and handshake. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Ends the probe at once; its result then has the reason `cancelled`. */
  readonly signal: AbortSignal;
  /** Sent as SNI where the endpoint names none: what `firstServerName` makes of the volume's names. */
  readonly defaultServerName: string | undefined;
}

/**
 * Learns by one fresh handshake which certificate an endpoint serves. Neither its dates nor its names nor its path are
 * judged here. Never rejects for what a server does.
 */
export async function probeEndpoint(endpoint: Endpoint, options: ProbeOptions): Promise<ProbeResult> {
  const handshake: Handshake = {
    address:
      endpoint.socketPath === undefined ? { host: endpoint.host, port: endpoint.port } : { path: endpoint.socketPath },
    scheme: endpoint.scheme,
    serverName: chooseServerName(endpoint, options.defaultServerName),
    proxyHeader: undefined,
    secureContext: getSecureContext(undefined),
    timeoutMs: options.timeoutMs,
  };
  return await performHandshake(handshake, options.clock, options.signal);
}
