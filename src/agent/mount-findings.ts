import type { ReloadConfig } from "../config/config.ts";
import type { Finding } from "../core/finding.ts";
import { describeProcess } from "../process/describe-process.ts";
import { findProcess, type ProcessSelector } from "../process/find-process.ts";
import { inspectMounts } from "../volume/inspect-mounts.ts";
import { readMounts } from "../volume/mountinfo.ts";
import { findSubPathMounts } from "../volume/subpath.ts";
import type { VolumeRequest } from "../volume/volume-request.ts";

/** The mounts of the volume, in the agent's container and in the server's, that will never follow a renewal. */
export async function findFrozenMounts(request: VolumeRequest, reload: ReloadConfig): Promise<readonly Finding[]> {
  const { findings, volume } = await inspectMounts(request);
  const server = await findServer(reload);
  if (server === undefined) return findings;
  // A process that has just ended has no mounts; that isn't the mounts' fault.
  const mounts = await readMounts(server.pid).catch(() => []);
  // A process in the agent's own mount namespace shows the same mounts again.
  const known = new Set(findings.map(({ message }) => message));
  const theirs = findSubPathMounts(mounts, [], volume).filter(({ message }) => !known.has(message));
  const where = `in the container of ${server.description}`;
  return [...findings, ...theirs.map((finding) => ({ ...finding, message: `${where}: ${finding.message}` }))];
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
