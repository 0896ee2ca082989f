import { basename } from "node:path";
import type { ProcessEntry } from "./process-info.ts";

/** The kernel keeps so many bytes of a name in `comm` (TASK_COMM_LEN of `include/linux/sched.h`, less the final NUL). */
const commBytes = 15;

/**
 * Does the process bear this name? A name is the last part of `argv[0]`, of the title that a process gives itself
 * (`nginx: master process …` bears `nginx`), of the program file where it can be read, or `comm`. As `comm` holds only
 * the first 15 bytes of a name, it counts for a longer one only where `argv` doesn't show the whole name.
 */
export function bearsName(process: ProcessEntry, nameOrPath: string, executable: string | undefined): boolean {
  const name = basename(nameOrPath);
  const shown = process.argv[0];
  if (shown !== undefined && (basename(shown) === name || titleOf(shown) === name)) return true;
  if (executable !== undefined && basename(executable) === name) return true;
  return commBears(process, name);
}

function commBears(process: ProcessEntry, name: string): boolean {
  const wanted = Buffer.from(name);
  if (wanted.length < commBytes) return process.comm === name;
  if (!Buffer.from(process.comm).equals(wanted.subarray(0, commBytes))) return false;
  // A script's whole name is in argv[1], after its interpreter.
  const whole = process.argv.slice(0, 2).map((argument) => basename(argument));
  const known = whole.find((argument) => argument.startsWith(process.comm));
  return known === undefined || known === name;
}

/** The program's name in a title such as `nginx: master process /usr/sbin/nginx`; `undefined` where there is no title. */
function titleOf(shown: string): string | undefined {
  const end = shown.search(/[\s:]/);
  return end > 0 ? basename(shown.slice(0, end)) : undefined;
}

const wrappers: ReadonlySet<string> = new Set([
  ...[
    "sh",
    "bash",
    "dash",
    "ash",
    "ksh",
    "zsh",
    "busybox",
    "env",
    "nohup",
    "timeout",
    "sudo",
    "su",
    "setpriv",
    "unshare",
  ],
  ...["tini", "tini-static", "docker-init", "dumb-init", "catatonit", "s6-svscan", "s6-supervise", "runsvdir", "runsv"],
  ...["supervisord", "systemd", "init", "su-exec", "gosu", "runuser", "start-stop-daemon"],
]);

/** Shells and small init programs start the server and forward no reload: a signal to them ends or misses the server. */
export function isWrapper(process: ProcessEntry): boolean {
  const shown = basename(process.argv[0] ?? process.comm).replace(/^-/, "");
  // The processes of s6-overlay are named for their duty.
  return wrappers.has(shown) || wrappers.has(process.comm) || process.comm.startsWith("s6-");
}

/** The container that holds a pod's namespaces. It reloads nothing. */
export function isPause(process: ProcessEntry): boolean {
  return process.comm === "pause" || basename(process.argv[0] ?? "") === "pause";
}

/** A worker of nginx by its title: it takes SIGHUP without a word and reloads nothing. */
export function isNginxWorker(process: ProcessEntry): boolean {
  return /^nginx: (worker|cache)/.test(process.argv[0] ?? "");
}
