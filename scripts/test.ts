// Sets up what the tests need, builds what they run, and runs them all. Arguments go to vitest, for example
// `npm test -- --project unit`. The last line counts: "N passed, N failed".
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ensurePrograms } from "./debian-packages.ts";
import { serverPackages } from "./servers.ts";

/** What vitest's JSON report says of the whole run. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
  readonly success: boolean;
}

const log = (line: string): void => console.error(line);

await ensurePrograms(
  [
    { program: "openssl", packages: ["openssl"] },
    { program: "unshare", packages: ["util-linux"] },
    ...serverPackages.map(({ name, file }) => ({ program: file, packages: [name] })),
  ],
  log,
);
run("node", ["scripts/build.ts"]);

const directory = mkdtempSync(join(tmpdir(), "certhup-test-"));
const reportFile = join(directory, "report.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
const status = run("vitest", ["run", ...reporters, ...process.argv.slice(2)]);
const report = JSON.parse(readFileSync(reportFile, "utf8")) as Report;
rmSync(directory, { recursive: true, force: true });

// A file that can't even be loaded fails without a failed test in it.
const failed = Math.max(report.numFailedTests, report.success && status === 0 ? 0 : 1);
const skipped = report.numPendingTests > 0 ? `, ${report.numPendingTests} skipped` : "";
console.log(`\n${report.numPassedTests} passed, ${failed} failed${skipped}`);
process.exitCode = status;

function run(command: string, args: readonly string[]): number {
  const { status: ended, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error !== undefined) throw error;
  return ended ?? 1;
}
