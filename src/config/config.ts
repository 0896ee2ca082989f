import type { Policy } from "../core/policy.ts";
import type { KeypairPolicy } from "../keypair/keypair-policy.ts";
import type { Endpoint } from "../probe/endpoint.ts";
import type { ProbeLimits } from "../probe/probe-limits.ts";
import type { StrategyConfig } from "../reload/create-strategy.ts";
import type { ReadyPolicy } from "../status/readiness.ts";
import type { VolumeRequest } from "../volume/volume-request.ts";
import type { LogFormat, LogLevel } from "./options/agent.ts";
import type { OutputFormat } from "./options/check.ts";
import type { ProbeOutput } from "./options/probe.ts";
import type { ListenAddress } from "./parsers.ts";

/** What only the running agent can add to a strategy. */
type Runtime = "clock" | "permit" | "trustedFingerprints" | "environment" | "procRoot";

type Static<Config> = Config extends unknown ? Omit<Config, Runtime> : never;

/** One way to tell the server, as far as it can be configured. */
export type RungConfig = Static<StrategyConfig>;

/** How a server is told. */
export interface ReloadConfig {
  /** The gentlest way first; empty where the server picks the pair up by itself. */
  readonly ladder: readonly RungConfig[];
  readonly attempts: number;
  readonly minIntervalMs: number;
  /** Restarts of the replicas are spread over this time. */
  readonly spreadMs: number;
  readonly restartMinIntervalMs: number;
  /** Restart even where a subPath mount may keep the container from starting again. */
  readonly allowSubPath: boolean;
}

/** Where the certificate of a target lies and where it is served. */
export interface ServingConfig {
  /** The `target` label of logs, metrics and status. */
  readonly name: string;
  /** `undefined` where the endpoints are only looked at. */
  readonly volume: VolumeRequest | undefined;
  /** The certificate file holds the key as well. */
  readonly isBundle: boolean;
  readonly passphraseFile: string | undefined;
  readonly keypair: KeypairPolicy;
  /** Empty where the user gave up proof with `none`. */
  readonly endpoints: readonly Endpoint[];
  readonly probeLimits: ProbeLimits;
}

/** One certificate to keep served. */
export interface TargetConfig extends ServingConfig {
  readonly reload: ReloadConfig;
  readonly policy: Policy;
  readonly readyPolicy: ReadyPolicy;
}

/** Everything the agent needs to know, complete and checked. */
export interface Config {
  readonly targets: readonly TargetConfig[];
  readonly watchIntervalMs: number;
  readonly listenAddress: ListenAddress;
  readonly log: { readonly format: LogFormat; readonly level: LogLevel };
}

/** What `certhup check` needs to know. */
export interface CheckConfig {
  readonly targets: readonly ServingConfig[];
  readonly output: OutputFormat;
}

/** What `certhup probe` needs to know. */
export interface ProbeConfig {
  /** Each once, in the order given. */
  readonly endpoints: readonly Endpoint[];
  readonly warnMs: number;
  readonly criticalMs: number;
  /** PEM file with CA certificates. */
  readonly trustFile: string | undefined;
  readonly concurrency: number;
  readonly limits: ProbeLimits;
  readonly output: ProbeOutput;
}

/** What `certhup health` needs to know. */
export interface HealthConfig {
  /** Where the agent listens. */
  readonly address: ListenAddress;
  readonly path: "/livez" | "/readyz";
  readonly timeoutMs: number;
}
