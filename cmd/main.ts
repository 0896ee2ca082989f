#!/usr/bin/env -S node --max-semi-space-size=1
// The flag keeps the nursery for young objects small: the agent mostly waits, and garbage would only lie there.
import "./node-version.ts";
import process from "node:process";
import { runCli } from "./cli.ts";
import { exitStatus } from "./exit-status.ts";
import { explainFault } from "./print.ts";

process.on("uncaughtException", (error) => {
  process.stderr.write(explainFault(error));
  process.exit(exitStatus.fault);
});

process.exitCode = await runCli(process.argv.slice(2), process.env);
