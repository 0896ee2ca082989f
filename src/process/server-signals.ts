import { basename } from "node:path";
import type { ProcessEntry } from "./process-info.ts";

interface ServerSignals {
  readonly names: readonly string[];
  /** What signals other than a reload do to this server. */
  readonly otherwise: Readonly<Partial<Record<NodeJS.Signals, string>>>;
  readonly hint: string;
}

/** From the servers' manuals: signals that are taken for a reload by mistake. */
const servers: readonly ServerSignals[] = [
  {
    names: ["haproxy"],
    otherwise: {
      SIGUSR1: "stops it softly: it takes no new connection and ends",
      SIGHUP: "makes it log the state of its servers",
    },
    hint: "HAProxy in master-worker mode (-W) reloads on SIGUSR2 to its master",
  },
  {
    names: ["nginx"],
    otherwise: {
      SIGUSR1: "makes it reopen its log files",
      SIGUSR2: "makes it start a new program file beside the old one",
      SIGWINCH: "makes it end its workers",
      SIGQUIT: "stops it softly",
      SIGTERM: "stops it",
    },
    hint: "nginx reloads on SIGHUP to its master",
  },
  {
    names: ["apache2", "httpd"],
    otherwise: { SIGWINCH: "stops it softly", SIGTERM: "stops it" },
    hint: "Apache httpd reloads softly on SIGUSR1",
  },
];

/** What a known server does with a signal that isn't its reload; `undefined` for all that isn't known to be wrong. */
export function misunderstoodSignal(
  process: ProcessEntry,
  signal: NodeJS.Signals,
): { readonly effect: string; readonly hint: string } | undefined {
  const program = basename(process.argv[0] ?? "");
  const server = servers.find(({ names }) => names.includes(process.comm) || names.includes(program));
  const effect = server?.otherwise[signal];
  return server === undefined || effect === undefined ? undefined : { effect, hint: server.hint };
}
