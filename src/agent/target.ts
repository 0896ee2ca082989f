import type { ReloadConfig, TargetConfig } from "../config/config.ts";
import type { Announcement } from "../core/announcement.ts";
import type { Finding } from "../core/finding.ts";
import type { ProbeResult } from "../core/probe-result.ts";
import type { MeteredTarget, Metrics } from "../metrics/metrics.ts";
import { probeEndpoint } from "../probe/probe-endpoint.ts";
import { firstServerName } from "../probe/server-name.ts";
import { createNoneStrategy } from "../reload/none.ts";
import type { ReloadStrategy } from "../reload/reload-strategy.ts";
import { createSignalStrategy } from "../reload/signal.ts";
import { judgeReadiness } from "../status/readiness.ts";
import type { TargetView } from "../status/target-view.ts";
import type { Clock } from "../system/clock.ts";
import type { Log } from "../system/log.ts";
import { readMounts } from "../volume/mountinfo.ts";
import { findSubPathMounts } from "../volume/subpath.ts";
import { logAnnouncement } from "./announcer.ts";
import { createLooker } from "./looker.ts";
import { createPreflight } from "./preflight.ts";
import { createTargetAgent, type TargetPorts } from "./target-agent.ts";

/** One configured target with everything it needs. */
export interface Target {
  readonly directory: string;
  /** @param cause what suggested the look, for the count of what the watch missed */
  requestLook(cause: "event" | "poll"): void;
  view(): Omit<TargetView, "watchMode">;
  /** When the volume was last read, monotonic; `undefined` before the first time. */
  lastLookMs(): number | undefined;
  start(): void;
  stop(): void;
}

/** What the agent hands to each of its targets. */
export interface TargetContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Called when a poll found content that no event had told of. */
  onFoundByPoll(directory: string): void;
}

/** The only place that knows all rooms: it joins them for one target. */
export function createTarget(config: TargetConfig, context: TargetContext): Target {
  const { clock, metrics } = context;
  const { directory } = config.volume;
  const log = context.log.child({ target: config.name });
  const strategy = createStrategy(config.reload);
  const looker = createLooker(config.volume, config.keypair, clock);
  const preflight = createPreflight(() => check(strategy, directory), log);
  const metered: MeteredTarget = {
    name: config.name,
    endpoints: config.policy.endpoints,
    strategy: strategy.name,
  };
  let lastLookMs: number | undefined;
  let lastHash: string | undefined;
  let isAskedByEvent = true;

  const ports: TargetPorts = {
    async look(served) {
      const isByEvent = isAskedByEvent;
      isAskedByEvent = false;
      const look = await looker(served);
      const at = clock.now();
      metrics.countLook(config.name, at);
      lastLookMs = at.monotonicMs;
      const { contentHash } = look.source;
      if (lastHash !== undefined && lastHash !== contentHash && !isByEvent) context.onFoundByPoll(directory);
      lastHash = contentHash;
      return look;
    },
    probe: (signal) => probeAll(config, target.state().wanted?.certificate.names ?? [], clock, signal),
    reload: (signal) => strategy.reload(signal),
    announce(announcement) {
      logAnnouncement(log, announcement);
      metrics.count(metered, announcement);
      if (changesWhatIsKnown(announcement)) preflight.refresh();
    },
    fault(during, error) {
      log.error({ event: "fault", during, error: error instanceof Error ? error.stack : String(error) }, "fault");
    },
  };
  const target = createTargetAgent(config.policy, clock, ports);

  return {
    directory,
    requestLook(cause) {
      if (cause === "event") {
        isAskedByEvent = true;
        metrics.countWatchEvent(config.name);
      }
      target.requestLook();
    },
    view() {
      const { name, policy, readyPolicy } = config;
      const state = target.state();
      const readiness = judgeReadiness(state, policy, readyPolicy, clock.now());
      return { name, directory, policy, state, readiness, preflight: preflight.findings() };
    },
    lastLookMs: () => lastLookMs,
    start() {
      preflight.refresh();
      target.start();
    },
    stop: () => target.stop(),
  };
}

function createStrategy(config: ReloadConfig): ReloadStrategy {
  switch (config.strategy) {
    case "none":
      return createNoneStrategy();
    case "signal":
      return createSignalStrategy(config);
  }
}

async function check(strategy: ReloadStrategy, directory: string): Promise<readonly Finding[]> {
  const [reload, mounts] = await Promise.all([strategy.prepare(), readMounts("self")]);
  return [...findSubPathMounts(mounts, [directory]), ...reload];
}

function probeAll(
  { endpoints, probeTimeoutMs }: TargetConfig,
  names: readonly string[],
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const defaultServerName = firstServerName(names);
  const options = { timeoutMs: probeTimeoutMs, clock, signal, defaultServerName };
  return Promise.all(endpoints.map((endpoint) => probeEndpoint(endpoint, options)));
}

/** A server that came, went or was told may be another process now. */
function changesWhatIsKnown({ event }: Announcement): boolean {
  return event === "verdict-changed" || event === "confirmed" || event === "turned-stale";
}
