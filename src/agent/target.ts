import type { TargetConfig } from "../config/config.ts";
import type { Announcement } from "../core/announcement.ts";
import type { Finding } from "../core/finding.ts";
import type { ReloadOutcome } from "../core/reload-outcome.ts";
import type { MeteredTarget, Metrics } from "../metrics/metrics.ts";
import { probeAll } from "../probe/probe-all.ts";
import { firstServerName } from "../probe/server-name.ts";
import type { ReloadStrategy } from "../reload/reload-strategy.ts";
import { judgeReadiness } from "../status/readiness.ts";
import type { TargetView } from "../status/target-view.ts";
import { CerthupError } from "../system/certhup-error.ts";
import type { Clock } from "../system/clock.ts";
import type { Log } from "../system/log.ts";
import { logAnnouncement } from "./announcer.ts";
import { createLooker } from "./looker.ts";
import { findFrozenMounts } from "./mount-findings.ts";
import { createPreflight } from "./preflight.ts";
import { isSubPath } from "./restart-permission.ts";
import { createStrategies } from "./strategies.ts";
import { createTargetAgent, type TargetAgent, type TargetPorts } from "./target-agent.ts";

/** One configured target with everything it needs. */
export interface Target {
  readonly name: string;
  readonly directory: string | undefined;
  /** @param cause what suggested the look, for the count of what the watch missed */
  requestLook(cause: LookCause): void;
  view(): Omit<TargetView, "watchMode">;
  /** When the volume was last read, monotonic; `undefined` before the first time. */
  lastLookMs(): number | undefined;
  start(): void;
  stop(): void;
}

/** What suggested a look: an event of the watch, the poll, or that the watch works in another way from now on. */
export type LookCause = "event" | "poll" | "mode";

/** What the agent hands to each of its targets. */
export interface TargetContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Of the commands that tell a server. */
  readonly environment: NodeJS.ProcessEnv;
  /** Called when a poll found content that no event had told of. */
  onFoundByPoll(directory: string): void;
  /** Called when the agent is to end itself with a status. */
  onExit(status: number): void;
}

/** The only place that knows all rooms: it joins them for one target. */
export async function createTarget(config: TargetConfig, context: TargetContext): Promise<Target> {
  const { clock, metrics, environment } = context;
  const { name, policy, readyPolicy } = config;
  const directory = config.volume?.directory;
  const log = context.log.child({ target: name });
  const frozenMounts = async (): Promise<readonly Finding[]> =>
    config.volume === undefined ? [] : findFrozenMounts(config.volume, config.reload);
  const strategies = await createStrategies(config.reload, {
    clock,
    environment,
    ourFingerprints: () => ourFingerprints(target),
    findFrozenMounts: frozenMounts,
  });
  const inspect = async () => [...(await frozenMounts()), ...(await prepareAll(strategies))];
  const preflight = createPreflight(inspect, clock, log);
  const looker = createLooker(config, clock);
  const metered: MeteredTarget = {
    name,
    endpoints: policy.endpoints,
    strategies: policy.ladder.map(({ strategy }) => strategy),
  };
  let lastLookMs: number | undefined;
  let lastHash: string | undefined;
  let isAskedByEvent = true;

  const ports: TargetPorts = {
    async look(served) {
      const isByEvent = isAskedByEvent;
      isAskedByEvent = false;
      const look = await looker.look(served);
      const at = clock.now();
      metrics.countLook(name, at);
      lastLookMs = at.monotonicMs;
      const { contentHash } = look.source;
      if (lastHash !== undefined && lastHash !== contentHash && !isByEvent && directory !== undefined) {
        context.onFoundByPoll(directory);
      }
      lastHash = contentHash;
      return look;
    },
    probe: (signal) => {
      const wanted = target.state().wanted?.certificate;
      return probeAll(config.endpoints, {
        limits: config.probeLimits,
        clock,
        signal,
        defaultServerName: firstServerName(wanted?.names ?? []),
        preferKeyType: wanted?.keyType,
        expectedChain: wanted?.chain,
        authorities: looker.authorities().length > 0 ? looker.authorities() : undefined,
      });
    },
    reload: (rung, signal): Promise<ReloadOutcome> =>
      strategies[rung]?.reload(signal) ??
      Promise.reject(new CerthupError("contract-broken", `the ladder has no rung ${rung}`)),
    exit: (status) => context.onExit(status),
    announce(announcement) {
      logAnnouncement(log, announcement);
      metrics.count(metered, announcement);
      if (changesWhatIsKnown(announcement)) preflight.refresh();
    },
    fault(during, error) {
      log.error({ event: "fault", during, error: error instanceof Error ? error.stack : String(error) }, "fault");
    },
  };
  const target = createTargetAgent(policy, clock, ports);

  return {
    name,
    directory,
    requestLook(cause) {
      if (cause === "event") {
        isAskedByEvent = true;
        metrics.countWatchEvent(name);
      }
      // The server may be another process by now, though it serves what it should.
      if (cause === "poll") preflight.refreshAfter(policy.verifyIntervalMs);
      target.requestLook();
    },
    view() {
      const state = target.state();
      const findings = preflight.findings();
      const readiness = judgeReadiness(state, policy, readyPolicy, clock.now(), findings.filter(isSubPath));
      return { name, directory, policy, state, readiness, preflight: findings };
    },
    lastLookMs: () => lastLookMs,
    start() {
      preflight.refresh();
      target.start();
    },
    stop: () => target.stop(),
  };
}

function ourFingerprints(target: TargetAgent): readonly string[] {
  const { wanted, earlier } = target.state();
  return [...(wanted === undefined ? [] : [wanted.certificate]), ...earlier].map(({ fingerprint }) => fingerprint);
}

const passing: ReadonlySet<string> = new Set(["restart-too-soon", "restart-in-progress"]);

/**
 * What stands in the way of any rung, each thing once. That a restart must wait is left out, as time cures it before
 * the next rotation; so is what is said of the mounts already.
 */
async function prepareAll(strategies: readonly ReloadStrategy[]): Promise<readonly Finding[]> {
  const found = (await Promise.all(strategies.map((strategy) => strategy.prepare()))).flat();
  const lasting = found.filter((finding) => !passing.has(finding.code) && !isSubPath(finding));
  return [...new Map(lasting.map((finding) => [`${finding.code} ${finding.message}`, finding])).values()];
}

/** A server that came, went or was told may be another process now. */
function changesWhatIsKnown({ event }: Announcement): boolean {
  return event === "verdict-changed" || event === "confirmed" || event === "turned-stale";
}
