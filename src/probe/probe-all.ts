import type { ProbeResult } from "../core/probe-result.ts";
import type { Endpoint } from "./endpoint.ts";
import { type ProbeOptions, probeEndpoint } from "./probe-endpoint.ts";

/** So many handshakes at once keep two cores busy; more only make each of them slower. */
const defaultConcurrency = 32;

/** Probes endpoints and answers in their order. Never rejects for what a server does. */
export async function probeAll(endpoints: readonly Endpoint[], options: ProbeOptions): Promise<readonly ProbeResult[]> {
  const results = new Array<ProbeResult>(endpoints.length);
  await probeEach(endpoints, options, defaultConcurrency, (result, position) => {
    results[position] = result;
  });
  return results;
}

/**
 * Probes endpoints, so many at once, and keeps nothing of them. Never rejects for what a server does.
 *
 * @param onResult called with each result as it comes, and with its endpoint's position
 */
export async function probeEach(
  endpoints: readonly Endpoint[],
  options: ProbeOptions,
  concurrency: number,
  onResult: (result: ProbeResult, position: number) => void,
): Promise<void> {
  const waiting = endpoints.entries();
  const work = async (): Promise<void> => {
    for (const [position, endpoint] of waiting) {
      onResult(await probeEndpoint(endpoint, options), position);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, endpoints.length) }, work));
}
