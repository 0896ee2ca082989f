import { basename } from "node:path";
import { errorCode } from "../system/read-bounded.ts";

/** Filesystem events of several directories, each watched by itself: neither its links nor its subdirectories. */
export interface EventSource {
  watch(path: string): void;
  unwatch(path: string): void;
  /** True once everything asked for before the first readiness is watched. */
  isReady(): boolean;
  close(): Promise<void>;
}

/** Whom an event source tells. They must not throw. */
export interface EventSourceHandlers {
  /** Something happened in this directory; `isItself` where it may have been removed or moved away. */
  event(path: string, isItself: boolean): void;
  /** This directory is not watched any more, or none of them where no path is given. */
  failure(path: string | undefined, code: string): void;
  ready(): void;
}

/** Opens the one source of a watch. A rejection is a failure to be tried again later. */
export type OpenEventSource = (handlers: EventSourceHandlers) => Promise<EventSource>;

/**
 * One chokidar instance: several over the same paths lose events. It is loaded here, as late as possible.
 * @throws what loading or starting chokidar throws
 */
export async function openEventSource(handlers: EventSourceHandlers): Promise<EventSource> {
  const { FSWatcher } = await import("chokidar");
  const paths = new Set<string>();
  let isReady = false;
  const watcher = new FSWatcher({
    // Events are only hints, so what lies in a directory needs no bookkeeping: everything but the directories is
    // ignored, and the raw events tell that something happened.
    ignored: (path) => !paths.has(path),
    ignoreInitial: true,
    followSymlinks: false,
    depth: 0,
    atomic: false,
  });
  watcher.on("raw", (event, name, details) => {
    const path = watchedPathOf(details);
    // The system's events for the directory itself carry its own name, as those for an entry of that name would.
    if (path !== undefined && paths.has(path)) handlers.event(path, event === "rename" && name === basename(path));
  });
  watcher.on("error", (error) => {
    const path = pathOf(error);
    handlers.failure(path !== undefined && paths.has(path) ? path : undefined, errorCode(error));
  });
  watcher.on("ready", () => {
    isReady = true;
    handlers.ready();
  });
  return {
    watch(path) {
      // chokidar takes a backslash for a separator, as on Windows, and would watch another directory.
      if (path.includes("\\")) return handlers.failure(path, "EINVAL");
      paths.add(path);
      watcher.add(path);
    },
    unwatch(path) {
      paths.delete(path);
      watcher.unwatch(path);
    },
    isReady: () => isReady,
    close: async () => {
      paths.clear();
      await watcher.close();
    },
  };
}

function watchedPathOf(details: unknown): string | undefined {
  if (typeof details !== "object" || details === null || !("watchedPath" in details)) return undefined;
  return typeof details.watchedPath === "string" ? details.watchedPath : undefined;
}

/** `fs.watch` calls it `filename`, most others `path`. */
function pathOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const path = "filename" in error ? error.filename : "path" in error ? error.path : undefined;
  return typeof path === "string" ? path : undefined;
}
