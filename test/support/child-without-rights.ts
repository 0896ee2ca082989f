/**
 * Becomes an ordinary user, as the agent of a pod is, and prints what the signal strategy says of the process in a pid
 * file: `node child-without-rights.ts PID_FILE UID`.
 */
import { argv, setgid, setgroups, setuid, stdout } from "node:process";
import { createSignalStrategy } from "../../src/reload/signal.ts";

const [, , pidFile = "", uid = ""] = argv;
setgroups?.([]);
setgid?.(Number(uid));
setuid?.(Number(uid));
const signal = { name: "SIGHUP", number: 1 } as const;
const strategy = createSignalStrategy({ selector: { pidFile }, signal, allowUnhandled: false });
const findings = await strategy.prepare();
const outcome = await strategy.reload(new AbortController().signal);
stdout.write(JSON.stringify({ findings, outcome }));
