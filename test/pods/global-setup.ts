import { randomUUID } from "node:crypto";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { ensureBaseImages } from "../../scripts/docker/base-images.ts";
import { buildImage, type ImageBuild } from "../../scripts/docker/build-image.ts";
import { runCommand } from "../../scripts/docker/command.ts";
import { type DockerEngine, ensureDocker } from "../../scripts/docker/engine.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const serversContext = fileURLToPath(new URL("images/servers/", import.meta.url));

const servers: ImageBuild = {
  tag: "certhup-servers:pods",
  context: serversContext,
  dockerfile: `${serversContext}Dockerfile`,
};
const agent: ImageBuild = { tag: "certhup:pods", context: root, dockerfile: `${root}Dockerfile` };
const runLabel = "certhup.pods.run";
const run = randomUUID();

let engine: DockerEngine | undefined;

/** Makes a Docker engine and the images of pods ready. */
export async function setup(project: TestProject): Promise<void> {
  engine = await ensureDocker(log);
  try {
    // Testcontainers looks at the variable and at well-known sockets, not at the contexts of the command line.
    process.env["DOCKER_HOST"] = engine.host;
    // On an engine that was just started, whatever is left of pods is from a run that was killed.
    if (engine.isOwn) await removeContainers(runLabel);
    await ensureBaseImages([servers.dockerfile, agent.dockerfile], log);
    await buildImage(servers, log);
    await buildImage(agent, log);
    project.provide("pods", { serversImage: servers.tag, agentImage: agent.tag, run });
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

/** Removes what a test left behind, and ends the engine if it was started here. */
export async function teardown(): Promise<void> {
  if (engine === undefined) return;
  try {
    await removeContainers(`${runLabel}=${run}`);
  } finally {
    await engine.stop();
  }
}

async function removeContainers(label: string): Promise<void> {
  const left = await runCommand("docker", ["ps", "--all", "--quiet", "--filter", `label=${label}`]);
  const ids = left.split("\n").filter((id) => id !== "");
  if (ids.length === 0) return;
  log(`removing ${ids.length} containers that were left behind`);
  await runCommand("docker", ["rm", "--force", "--volumes", ...ids]);
}

function log(line: string): void {
  process.stderr.write(`pods: ${line}\n`);
}
