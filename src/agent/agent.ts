import type { Config } from "../config/config.ts";
import type { TargetView } from "../status/target-view.ts";
import { type VolumeWatch, watchVolumes } from "../volume/watch-volumes.ts";
import { createTarget, type LookCause, type Target, type TargetContext } from "./target.ts";

/** All targets of a process and the one watch over their volumes. */
export interface Agent {
  start(): void;
  /** Settles with a status when a strategy asks the agent to end itself with it. */
  readonly exit: Promise<number>;
  /** No more reloads from here on. Settles once the watch is closed. */
  stop(): Promise<void>;
  views(): readonly TargetView[];
  /** False before the start, and when the agent's own loop has stopped looking at the volumes. */
  isAlive(): boolean;
}

/** A loop that missed this many polls in a row is dead. */
const missedPolls = 6;
const leastSilenceMs = 60_000;

/** What the agent is given by the program that it is part of. */
export type Surroundings = Pick<TargetContext, "clock" | "log" | "metrics" | "environment">;

/** An agent that waits for its start; nothing is touched before. */
export async function createAgent(config: Config, surroundings: Surroundings): Promise<Agent> {
  const { clock, log, metrics } = surroundings;
  const modes = new Map<string, TargetView["watchMode"]>();
  const modeOf = (directory: string): TargetView["watchMode"] => modes.get(directory) ?? "poll";
  let watch: VolumeWatch | undefined;
  let startedMs: number | undefined;

  const onFoundByPoll = (directory: string): void => {
    if (watch?.reportFoundByPoll(directory) !== true) return;
    for (const target of targets) if (target.directory === directory) metrics.countWatchMiss(target.name);
    log.warn({ event: "watch-missed", directory }, "a change was found by the poll, not by the watch");
  };
  const { promise: exit, resolve: onExit } = Promise.withResolvers<number>();
  const context = { ...surroundings, onFoundByPoll, onExit };
  const targets: readonly Target[] = await Promise.all(config.targets.map((target) => createTarget(target, context)));
  const directories = [...new Set(targets.flatMap(({ directory }) => (directory === undefined ? [] : [directory])))];
  const requestLooks = (directory: string, cause: LookCause): void => {
    for (const target of targets) if (target.directory === directory) target.requestLook(cause);
  };

  return {
    exit,
    start() {
      startedMs = clock.now().monotonicMs;
      watch = watchVolumes({
        directories,
        pollMs: config.watchIntervalMs,
        clock,
        onHint: requestLooks,
        onMode(directory, mode, detail) {
          modes.set(directory, mode);
          log[mode === "poll" ? "warn" : "info"](
            { event: "watch-mode", directory, mode, detail },
            "watch mode changed",
          );
          // What changed before the watch worked was not told: only a look can tell.
          requestLooks(directory, "mode");
        },
      });
      for (const target of targets) target.start();
    },
    async stop() {
      for (const target of targets) target.stop();
      await watch?.close();
    },
    views: () => targets.map((target) => ({ ...target.view(), watchMode: modeOf(target.directory ?? "") })),
    isAlive() {
      if (startedMs === undefined) return false;
      const silenceMs = Math.max(missedPolls * config.watchIntervalMs, leastSilenceMs);
      const nowMs = clock.now().monotonicMs;
      const watched = targets.filter(({ directory }) => directory !== undefined);
      return watched.every((target) => nowMs - (target.lastLookMs() ?? startedMs ?? 0) <= silenceMs);
    },
  };
}
