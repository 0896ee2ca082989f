/** Prints what a search for a process by name says, perhaps as another user: `node child-find.ts NAME [UID]`. */
import { argv, setgid, setgroups, setuid, stdout } from "node:process";
import { findProcess } from "../../src/process/find-process.ts";

const [, , name = "", uid] = argv;
if (uid !== undefined) {
  setgroups?.([]);
  setgid?.(Number(uid));
  setuid?.(Number(uid));
}
const found = await findProcess({ name });
stdout.write(JSON.stringify(found.kind === "found" ? { kind: found.kind, pid: found.process.pid } : found));
