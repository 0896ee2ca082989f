import type { ReloadConfig } from "../config/config.ts";
import type { Finding } from "../core/finding.ts";
import { describeProcess } from "../process/describe-process.ts";
import { findProcess, type ProcessSelector } from "../process/find-process.ts";
import { type Mount, readMounts } from "../volume/mountinfo.ts";
import { findMountOf, findSubPathMounts } from "../volume/subpath.ts";

/** The mounts of the volume, in the agent's container and in the server's, that will never follow a renewal. */
export async function findFrozenMounts(directory: string, reload: ReloadConfig): Promise<readonly Finding[]> {
  const own = await readMountsOrNone("self");
  const findings = findSubPathMounts(own, [directory]);
  const server = await findServer(reload);
  if (server === undefined) return findings;
  const volume = findMountOf(own, directory);
  const theirs = findSubPathMounts(await readMountsOrNone(server.pid), [directory], volume);
  // A process in the agent's own mount namespace shows the same mounts again.
  const messages = new Set(findings.map(({ message }) => message));
  const more = theirs.filter(({ message }) => !messages.has(message));
  return [
    ...findings,
    ...more.map((finding) => ({
      ...finding,
      message: `in the container of ${server.description}: ${finding.message}`,
    })),
  ];
}

async function findServer({ ladder }: ReloadConfig): Promise<{ pid: number; description: string } | undefined> {
  const selector = ladder.map(selectorOf).find((candidate) => candidate !== undefined);
  if (selector === undefined) return undefined;
  const search = await findProcess(selector, {});
  if (search.kind !== "found") return undefined;
  return { pid: search.process.pid, description: describeProcess(search.process) };
}

function selectorOf(rung: ReloadConfig["ladder"][number]): ProcessSelector | undefined {
  return "selector" in rung ? rung.selector : undefined;
}

/** A process that has just ended has no mounts; that isn't the mounts' fault. */
async function readMountsOrNone(process: number | "self"): Promise<readonly Mount[]> {
  return readMounts(process).catch(() => []);
}
