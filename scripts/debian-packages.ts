import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import process from "node:process";
import { failure, isInstalled, type Log, runCommand, signsOfLife } from "./docker/command.ts";

/** A program and the Debian packages that bring it. */
export interface Requirement {
  readonly program: string;
  readonly packages: readonly string[];
}

/**
 * Installs what is missing with apt-get, as root on Debian or a system made from it.
 * @throws Error that says what to install where this process may not or can not
 */
export async function ensurePrograms(requirements: readonly Requirement[], log: Log): Promise<void> {
  const missing: Requirement[] = [];
  for (const requirement of requirements) {
    if (!(await isInstalled(requirement.program))) missing.push(requirement);
  }
  if (missing.length === 0) return;
  const programs = missing.map(({ program }) => program).join(", ");
  const packages = [...new Set(missing.flatMap((requirement) => requirement.packages))];
  if (!existsSync("/etc/debian_version") || !(await isInstalled("apt-get"))) {
    throw failure(`not installed: ${programs}`, `install ${programs} and start again`);
  }
  if (process.getuid?.() !== 0) {
    throw failure(
      `not installed: ${programs}, and only root may install packages`,
      `run "apt-get install ${packages.join(" ")}" as root and start again`,
    );
  }
  log(`installing ${packages.join(" ")}`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const onLine = signsOfLife("apt-get", log);
  await runCommand("apt-get", ["update"], { env, onLine });
  await withoutStartingServices(() =>
    runCommand("apt-get", ["install", "--yes", "--no-install-recommends", ...packages], { env, onLine }),
  );
}

/** What Debian's packages ask before they start the service that they bring (invoke-rc.d(8)). */
const servicePolicy = "/usr/sbin/policy-rc.d";
/** "Action forbidden by policy" */
const refuseAll = "#!/bin/sh\nexit 101\n";

/** Tests start the servers themselves: a machine that lacked one shall not run it from now on. */
async function withoutStartingServices(act: () => Promise<unknown>): Promise<void> {
  if (existsSync(servicePolicy)) {
    await act();
    return;
  }
  await writeFile(servicePolicy, refuseAll, { mode: 0o755 });
  try {
    await act();
  } finally {
    await rm(servicePolicy, { force: true });
  }
}
