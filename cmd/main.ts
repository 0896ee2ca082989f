#!/usr/bin/env -S node --max-semi-space-size=1 --no-concurrent-recompilation
// The agent mostly waits. In a nursery larger than this garbage would only lie there, and a thread that compiles beside it
// would keep 5 MiB for what is rarely done.
import "./node-version.ts";
import process from "node:process";
import { runCli } from "./cli.ts";
import { exitStatus } from "./exit-status.ts";
import { explainFault, printError } from "./print.ts";

// Meant for the server, these may hit every process of a shared namespace. By default they would end the program, and
// SIGUSR1 would open Node's debugger.
for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => undefined);

process.on("uncaughtException", (error) => {
  process.stderr.write(explainFault(error));
  process.exit(exitStatus.fault);
});

// Who reads may leave, as in `certhup --help | head`: the answer is in the exit status, too.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.stderr.write(printError(`can't write to the standard output: ${error.code}`, "is the disk full?"));
  process.exit(exitStatus.problem);
});
process.stderr.on("error", () => undefined);

process.exitCode = await runCli(process.argv.slice(2), process.env);
