// Measures what certhup costs, each figure beside a floor taken in the same run: the ratios are what can be compared
// between machines. Arguments choose parts by name: `npm run bench -- idle rotation`.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { measureHandshakes } from "../test/bench/handshakes.ts";
import { measureIdle } from "../test/bench/idle.ts";
import { renderFigure } from "../test/bench/measure.ts";
import { measureRehearsal } from "../test/bench/rehearsal.ts";
import { measureRotation } from "../test/bench/rotation.ts";
import { measureStart } from "../test/bench/start.ts";

const parts = {
  start: measureStart,
  idle: measureIdle,
  rotation: measureRotation,
  rehearsal: measureRehearsal,
  handshakes: measureHandshakes,
};

const { status } = spawnSync("node", ["scripts/build.ts"], { stdio: ["ignore", "ignore", "inherit"] });
if (status !== 0) process.exit(status ?? 1);

const chosen = process.argv.slice(2);
for (const [name, measure] of Object.entries(parts)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.error(`measuring ${name} ...`);
  for (const figure of await measure()) console.log(renderFigure(figure));
}
