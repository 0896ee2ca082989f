import { type Endpoint, parseEndpoint } from "../../probe/endpoint.ts";
import type { ReadyPolicy } from "../../status/readiness.ts";
import { list, type Option, type Parsed, single } from "../option.ts";
import { parseChoice, parseCount, parseDuration, parseDurationFrom, parseSwitch } from "../parsers.ts";

const group = "Proof";

/** `none` where nothing is to be probed. */
export type EndpointChoice = Endpoint | "none";
export const endpoint: Option<readonly EndpointChoice[]> = list(
  {
    key: "endpoint",
    placeholder: "URL",
    group,
    description: '127.0.0.1:8443 or tls://127.0.0.1:8443?servername=NAME (repeatable), or "none" to go without proof',
  },
  toEndpoint,
);
export const confirm: Option<number> = single(
  {
    key: "confirm",
    placeholder: "COUNT",
    group,
    fallback: "3",
    description: "handshakes in a row that must show the new certificate",
  },
  parseCount(1, 100),
);
export const probeTimeout: Option<number> = single(
  {
    key: "probeTimeout",
    placeholder: "TIME",
    group,
    fallback: "5s",
    description: "time limit of one look at an endpoint, from its name to the end of the handshake",
  },
  parseDurationFrom(10),
);
export const probeStepTimeout: Option<number> = single(
  {
    key: "probeStepTimeout",
    placeholder: "TIME",
    group,
    description:
      "time limit of each step of it: name, connection, STARTTLS, handshake (three fifths of --probe-timeout if not given)",
  },
  parseDurationFrom(10),
);
export const verifyTimeout: Option<number> = single(
  {
    key: "verifyTimeout",
    placeholder: "TIME",
    group,
    fallback: "10s",
    description: "how long after a reload the old certificate may still be seen before the server is told again",
  },
  parseDurationFrom(10),
);
export const verifyInterval: Option<number> = single(
  {
    key: "verifyInterval",
    placeholder: "TIME",
    group,
    fallback: "60s",
    description: "how often the served certificate is checked while all is well",
  },
  parseDurationFrom(100),
);
export const staleGrace: Option<number> = single(
  {
    key: "staleGrace",
    placeholder: "TIME",
    group,
    fallback: "60s",
    description: "how long an older certificate may be served before readiness fails",
  },
  parseDuration,
);
export const readyPolicy: Option<ReadyPolicy> = single(
  {
    key: "readyPolicy",
    placeholder: "POLICY",
    group,
    fallback: "served",
    description: '"served": not ready once stale; "serving": stay ready while the older certificate is still valid',
  },
  parseChoice(["served", "serving"]),
);

export const watchOnly: Option<boolean> = single(
  {
    key: "watchOnly",
    placeholder: "",
    group,
    fallback: "false",
    description: "there is no volume: only look at what the endpoints serve, and until when",
  },
  parseSwitch,
);

/** The options of this group, in the order of the help. */
export const proofOptions: readonly Option<unknown>[] = [
  endpoint,
  watchOnly,
  confirm,
  probeTimeout,
  probeStepTimeout,
  verifyTimeout,
  verifyInterval,
  staleGrace,
  readyPolicy,
];

function toEndpoint(text: string): Parsed<EndpointChoice> {
  if (text.trim() === "none") return { kind: "value", value: "none" };
  const parsed = parseEndpoint(text);
  return parsed.kind === "endpoint" ? { kind: "value", value: parsed.endpoint } : parsed;
}
