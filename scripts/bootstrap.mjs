// Runs a script of this project with the project's own Node, on a machine that has nothing but some Node and npm.
// It is written for old versions of Node, too, and needs no package: it is what fetches them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = join(root, "node_modules", ".bin", "node");
const stamp = join(root, "node_modules", ".certhup-lock");

const [script, ...args] = process.argv.slice(2);
if (script === undefined) {
  fail("no script to run was named", "call it as npm run does: node scripts/bootstrap.mjs scripts/build.ts");
}

const lock = readFileSync(join(root, "package-lock.json"), "utf8");
if (!existsSync(node) || !existsSync(stamp) || readFileSync(stamp, "utf8") !== lock) {
  console.error("installing packages (npm ci), once ...");
  // Node's version is checked by the packages themselves; ours is among them.
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], "check that the npm registry can be reached");
  if (!existsSync(node)) {
    fail("npm ci brought no Node 24", "npm must be allowed to run the install script of the package `node`");
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, lock);
}

const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(":");
const { status, signal } = spawnSync(node, [join(root, script), ...args], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: path },
});
process.exit(signal === null ? (status ?? 1) : 1);

function run(command, commandArgs, hint) {
  const result = spawnSync(command, commandArgs, { cwd: root, stdio: ["ignore", 2, 2] });
  if (result.status !== 0) {
    fail(`${command} ${commandArgs.join(" ")} failed`, hint);
  }
}

function fail(message, hint) {
  console.error(`error: ${message}\nhint: ${hint}`);
  process.exit(1);
}
