import type { ProbeResult } from "../core/probe-result.ts";
import type { Endpoint } from "./endpoint.ts";
import { type ProbeOptions, probeEndpoint } from "./probe-endpoint.ts";

/** So many handshakes at once keep two cores busy; more only make each of them slower. */
const defaultConcurrency = 32;

/**
 * Probes endpoints, so many at once, and answers in their order. Never rejects for what a server does.
 *
 * @param onResult called with each result as it comes
 */
export async function probeAll(
  endpoints: readonly Endpoint[],
  options: ProbeOptions,
  concurrency: number = defaultConcurrency,
  onResult: (result: ProbeResult, endpoint: Endpoint) => void = () => undefined,
): Promise<readonly ProbeResult[]> {
  const results = new Array<ProbeResult>(endpoints.length);
  const waiting = endpoints.entries();
  const work = async (): Promise<void> => {
    for (const [position, endpoint] of waiting) {
      const result = await probeEndpoint(endpoint, options);
      results[position] = result;
      onResult(result, endpoint);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, endpoints.length) }, work));
  return results;
}
