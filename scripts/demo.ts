// Builds the agent and shows it at work. Arguments go to the demo: `npm run demo -- --keep`.
import { spawnSync } from "node:child_process";
import process from "node:process";

const build = spawnSync("node", ["scripts/build.ts"], { stdio: ["ignore", "ignore", "inherit"] });
const demo =
  build.status === 0
    ? spawnSync("node", ["examples/demo/demo.ts", ...process.argv.slice(2)], { stdio: "inherit" })
    : build;
process.exitCode = demo.status ?? 1;
