/**
 * Runs as PID 1 of a namespace, where the next pid can be chosen. Remembers a process, lets it end, has another one get
 * its pid, and prints what sending a signal to the remembered one says, and whether the other one lives.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { stdout } from "node:process";
import { isSameProcess } from "../../src/process/process-info.ts";
import { sendSignal } from "../../src/process/send-signal.ts";
import { readProcess } from "./read-process.ts";
import { until } from "./until.ts";

const pid = 20_000;

function startWithPid(): ChildProcess {
  writeFileSync("/proc/sys/kernel/ns_last_pid", String(pid - 1));
  return spawn("sleep", ["60"], { stdio: "ignore" });
}

const first = startWithPid();
await once(first, "spawn");
const remembered = await readProcess(pid);
if (remembered === undefined) throw new Error(`the first process has the pid ${first.pid}, not ${pid}`);
first.kill("SIGKILL");
await once(first, "exit");
// Start times are counted in hundredths of a second.
const started = performance.now();
await until(
  () => performance.now() - started,
  (passed) => passed > 30,
);
const second = startWithPid();
await once(second, "spawn");
const successor = await readProcess(pid);
if (successor === undefined) throw new Error(`the second process has the pid ${second.pid}, not ${pid}`);
const delivery = await sendSignal(remembered, { name: "SIGTERM", number: 15 });
const isSuccessorAlive = isSameProcess(successor, "/proc");
stdout.write(JSON.stringify({ delivery, isSuccessorAlive }));
second.kill("SIGKILL");
