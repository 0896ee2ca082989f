import type { Policy } from "../core/policy.ts";
import type { Endpoint } from "../probe/endpoint.ts";
import type { ProcessSelector } from "../process/find-process.ts";
import type { Signal } from "../process/signals.ts";
import type { ReadyPolicy } from "../status/readiness.ts";
import type { VolumeRequest } from "../volume/volume-request.ts";
import type { LogFormat, LogLevel } from "./options/agent.ts";
import type { OutputFormat } from "./options/check.ts";
import type { ListenAddress } from "./parsers.ts";

/** How a server is told. */
export type ReloadConfig =
  | { readonly strategy: "none" }
  | {
      readonly strategy: "signal";
      readonly selector: ProcessSelector;
      readonly signal: Signal;
      readonly allowUnhandled: boolean;
    };

/** The rules that a user can set for a keypair. */
export interface KeypairConfig {
  readonly minValidityMs: number;
  readonly requireNames: readonly string[];
  readonly allowExpired: boolean;
}

/** Where the certificate of a target lies and where it is served. */
export interface ServingConfig {
  readonly volume: VolumeRequest;
  readonly keypair: KeypairConfig;
  /** Empty where the user gave up proof with `none`. */
  readonly endpoints: readonly Endpoint[];
  readonly probeTimeoutMs: number;
}

/** What `certhup check` needs to know. */
export interface CheckConfig extends ServingConfig {
  readonly output: OutputFormat;
}

/** What `certhup health` needs to know. */
export interface HealthConfig {
  /** Where the agent listens. */
  readonly address: ListenAddress;
  readonly path: "/livez" | "/readyz";
  readonly timeoutMs: number;
}

/** One certificate to keep served. */
export interface TargetConfig extends ServingConfig {
  /** The `target` label of logs, metrics and status. */
  readonly name: string;
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
