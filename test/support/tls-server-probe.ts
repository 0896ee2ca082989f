import type { ProbeResult } from "../../src/core/probe-result.ts";
import { type Endpoint, parseEndpoint } from "../../src/probe/endpoint.ts";
import { type ProbeOptions, probeEndpoint } from "../../src/probe/probe-endpoint.ts";
import { systemClock } from "../../src/system/clock.ts";

/** The endpoint that a text stands for. @throws Error where it stands for none */
export function toEndpoint(text: string): Endpoint {
  const parsed = parseEndpoint(text);
  if (parsed.kind === "issue") {
    throw new Error(parsed.message);
  }
  return parsed.endpoint;
}

/** Probes with the real clock and 5 seconds unless told otherwise. */
export function probe(text: string, options: Partial<ProbeOptions> = {}): Promise<ProbeResult> {
  return probeEndpoint(toEndpoint(text), {
    limits: { wholeMs: 5000, stepMs: 5000 },
    clock: systemClock,
    signal: new AbortController().signal,
    defaultServerName: undefined,
    ...options,
  });
}

/** The fingerprint that a probe saw, or the reason why it saw none. */
export async function probeFingerprint(text: string, options: Partial<ProbeOptions> = {}): Promise<string> {
  const result = await probe(text, options);
  return result.kind === "served" ? result.certificate.fingerprint : result.reason;
}
