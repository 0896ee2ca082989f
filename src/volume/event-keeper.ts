import type { Cancel, Clock } from "../system/clock.ts";
import { errorCode } from "../system/read-bounded.ts";
import type { EventSource, OpenEventSource } from "./event-source.ts";
import { explainFailure } from "./watched-directory.ts";

/** Keeps one event source at work: opened when first needed, replaced when it is stuck. */
export interface EventKeeper {
  /** Asks for the events of a directory. Whether they come is told by `armed` or by `failure`. */
  watch(path: string): void;
  unwatch(path: string): void;
  close(): Promise<void>;
}

/** Whom an event keeper tells. They must not throw. */
export interface EventKeeperHandlers {
  /** See `EventSourceHandlers`. */
  event(path: string, isItself: boolean): void;
  /** This directory is not watched any more, or none of them where no path is given; `detail` says why. */
  failure(path: string | undefined, detail: string): void;
  /** Everything asked for so far is watched, but for what a failure has been told of. */
  armed(): void;
}

/** How long the first watches may take before only the poll is trusted. */
const armingMs = 5_000;
/** How long a failure of a later one may take to be told. */
const laterArmingMs = 50;

/** Never throws: a source that can't be opened is a failure of every directory. */
export function createEventKeeper(
  clock: Clock,
  openSource: OpenEventSource,
  handlers: EventKeeperHandlers,
): EventKeeper {
  const paths = new Set<string>();
  let source: EventSource | undefined;
  let isOpening = false;
  let isClosed = false;
  let cancelArming: Cancel | undefined;

  async function open(): Promise<void> {
    if (isOpening) return;
    isOpening = true;
    try {
      const opened = await openSource({ event: handlers.event, failure: fail, ready: arm });
      if (isClosed) return await opened.close();
      source = opened;
      for (const path of paths) watchWith(opened, path);
    } catch (error) {
      fail(undefined, errorCode(error));
    } finally {
      isOpening = false;
    }
  }

  function watchWith(target: EventSource, path: string): void {
    try {
      target.watch(path);
    } catch (error) {
      fail(path, errorCode(error));
      return;
    }
    if (target.isReady()) {
      cancelArming?.();
      cancelArming = clock.after(laterArmingMs, arm);
    } else {
      cancelArming ??= clock.after(armingMs, () => void replace(target));
    }
  }

  function fail(path: string | undefined, code: string): void {
    if (!isClosed) handlers.failure(path, explainFailure(code));
  }

  function arm(): void {
    cancelArming?.();
    cancelArming = undefined;
    if (!isClosed) handlers.armed();
  }

  /** The path that never got ready may hold up all others, so nothing of this source is trusted any more. */
  async function replace(stuck: EventSource): Promise<void> {
    source = undefined;
    cancelArming = undefined;
    handlers.failure(undefined, "the watch did not get ready in time");
    await stuck.close().catch(() => undefined);
  }

  return {
    watch(path) {
      paths.add(path);
      if (source === undefined) void open();
      else watchWith(source, path);
    },
    unwatch(path) {
      paths.delete(path);
      source?.unwatch(path);
    },
    async close() {
      isClosed = true;
      cancelArming?.();
      await source?.close();
    },
  };
}
