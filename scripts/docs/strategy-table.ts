import type { StrategyName } from "../../src/reload/strategy-name.ts";
import { code, table } from "./markdown.ts";

interface StrategyRow {
  readonly does: string;
  readonly fits: string;
  readonly needs: string;
}

const rows: Readonly<Record<StrategyName, StrategyRow>> = {
  signal: {
    does: "sends a signal to the server's topmost process (default SIGHUP)",
    fits: "nginx, HAProxy (SIGUSR2), Apache httpd (SIGUSR1), PostgreSQL, most daemons",
    needs: "a shared process namespace, the same user, `--process-name`, `--process-match` or `--pid-file`",
  },
  nginx: {
    does: "runs the test command of `--test` if there is one, sends SIGHUP, and watches whether new workers appear",
    fits: "nginx, where a refused configuration should be told at once",
    needs: "as `signal`",
  },
  http: {
    does: "sends a request to a reload endpoint, on TCP or a Unix socket",
    fits: "servers with an admin API",
    needs: "`--reload-url`",
  },
  exec: {
    does: "runs a command, without a shell",
    fits: "servers with a control program that the agent's container has",
    needs: "`--exec`, and an image with that program",
  },
  restart: {
    does: "ends the server by SIGTERM; the kubelet starts its container anew",
    fits: "servers that read their certificate only at start",
    needs: "as `signal`; a server that is restarted on ending",
  },
  exit: {
    does: "ends the agent with `--exit-status`, on which the pod restarts all containers",
    fits: "servers that can't reload, in pods that share no processes",
    needs: "a rule `RestartAllContainers` in the pod (Kubernetes 1.36)",
  },
  none: {
    does: "tells nobody, and waits until handshakes show the new pair",
    fits: "servers that look at their files themselves (Envoy with SDS from files, Go servers with certwatcher)",
    needs: "nothing",
  },
};

/** Every way to tell a server, in the order of the ladder. */
export function renderStrategies(): string {
  const cells = Object.entries(rows).map(([name, { does, fits, needs }]) => [code(name), does, fits, needs]);
  return table(["way", "what it does", "fits", "needs"], cells);
}
