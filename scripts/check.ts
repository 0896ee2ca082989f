// Format, lint, types and TSDoc, all of them, so that one run shows everything that is wrong.
import { spawnSync } from "node:child_process";
import process from "node:process";

const checks = [
  ["biome", "check", "--error-on-warnings"],
  ["tsc", "-p", "."],
  ["node", "scripts/undocumented-exports.ts"],
] as const;

const failed = checks.filter(([command, ...args]) => {
  console.log(`${command} ${args.join(" ")}`);
  return spawnSync(command, args, { stdio: "inherit" }).status !== 0;
});
process.exitCode = failed.length > 0 ? 1 : 0;
