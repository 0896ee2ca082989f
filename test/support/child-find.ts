/** Prints what a search for a process by name says: `node child-find.ts NAME`. */
import { argv, stdout } from "node:process";
import { findProcess } from "../../src/process/find-process.ts";

const [, , name = ""] = argv;
const found = await findProcess({ name });
const { kind } = found;
stdout.write(JSON.stringify(kind === "found" ? { kind, pid: found.process.pid } : found, undefined, 2));
