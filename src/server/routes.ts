import { renderReadiness, renderStatus } from "../status/document.ts";
import type { TargetView } from "../status/target-view.ts";
import type { Instant } from "../system/clock.ts";
import { toJsonText } from "../system/json-text.ts";

/** What is sent back. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Answers one request; the URL is as the client sent it, path and query. */
export type Routes = (method: string, url: string) => Promise<Answer>;

/** What the routes show. */
export interface RouteSource {
  /** The targets as of now. */
  views(): readonly TargetView[];
  now(): Instant;
  metrics(views: readonly TargetView[], at: Instant): Promise<{ readonly contentType: string; readonly body: string }>;
  /** Does the agent's own loop run? It never depends on certificates or on the server. */
  isAlive(): boolean;
}

const plain = "text/plain; charset=utf-8";

/** The agent's routes. */
export function createRoutes(source: RouteSource): Routes {
  return async (method, url) => {
    if (method !== "GET" && method !== "HEAD") return text(405, "only GET and HEAD are answered\n");
    const [path] = url.split("?", 1);
    switch (path) {
      case "/livez":
      case "/startupz":
        return source.isAlive() ? text(200, "ok\n") : text(503, "the agent's loop does not run\n");
      case "/readyz": {
        const views = source.views();
        return text(views.every(({ readiness }) => readiness.isReady) ? 200 : 503, renderReadiness(views));
      }
      case "/status":
        return {
          status: 200,
          contentType: "application/json; charset=utf-8",
          body: toJsonText(renderStatus(source.views(), source.now())),
        };
      case "/metrics": {
        const { contentType, body } = await source.metrics(source.views(), source.now());
        return { status: 200, contentType, body };
      }
      default:
        return text(404, "there is only /livez, /readyz, /startupz, /metrics and /status\n");
    }
  };
}

function text(status: number, body: string): Answer {
  return { status, contentType: plain, body };
}
