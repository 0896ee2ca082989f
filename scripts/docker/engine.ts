import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { ensurePrograms } from "../debian-packages.ts";
import { failure, type Log, runCommand, tryCommand } from "./command.ts";

/** A Docker engine that answers. */
export interface DockerEngine {
  /** Where clients reach it, as in `DOCKER_HOST`. */
  readonly host: string;
  /** True where {@link ensureDocker} started it. */
  readonly isOwn: boolean;
  /** Ends the engine and all it started, if it is our own; an engine found running is left alone. */
  stop(): Promise<void>;
}

const startLimitMs = 60_000;
const stopLimitMs = 60_000;

/**
 * Ways to start dockerd, the usual one first. Machines without usable iptables still publish ports through the
 * userland proxy, and machines without overlayfs can copy layers.
 */
const variants: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: "as usual", args: [] },
  { name: "without iptables", args: ["--iptables=false"] },
  { name: "without iptables and overlayfs", args: ["--iptables=false", "--storage-driver=vfs"] },
];

/**
 * Finds the Docker engine or starts one, installing it before where root on Debian may.
 * @throws Error with what to install or the engine's own last words
 */
export async function ensureDocker(log: Log): Promise<DockerEngine> {
  const host = await answeringHost();
  if (host !== undefined) return { host, isOwn: false, stop: async () => undefined };
  await ensurePrograms(
    [
      { program: "dockerd", packages: ["docker.io"] },
      { program: "docker", packages: ["docker.io"] },
    ],
    log,
  );
  // Installing may have started it already, where an init system runs.
  const hostNow = await answeringHost();
  if (hostNow !== undefined) return { host: hostNow, isOwn: false, stop: async () => undefined };
  if (process.getuid?.() !== 0) {
    throw failure(
      "no docker engine answers, and only root may start one",
      'start docker, add this user to the group "docker", or set DOCKER_HOST',
    );
  }
  return startEngine(log);
}

async function answeringHost(): Promise<string | undefined> {
  const version = await tryCommand("docker", ["version", "--format", "{{.Server.Version}}"]);
  if (version.status !== 0) return undefined;
  const given = process.env["DOCKER_HOST"];
  if (given !== undefined && given !== "") return given;
  const context = await tryCommand("docker", ["context", "inspect", "--format", "{{.Endpoints.docker.Host}}"]);
  return context.status === 0 && context.stdout !== "" ? context.stdout.trim() : "unix:///var/run/docker.sock";
}

async function startEngine(log: Log): Promise<DockerEngine> {
  const directory = mkdtempSync(join(tmpdir(), "certhup-docker-"));
  const logFile = join(directory, "dockerd.log");
  const mountsBefore = dockerMounts();
  for (const variant of variants) {
    log(`starting a docker engine ${variant.name} (log: ${logFile})`);
    const daemon = spawnDaemon(directory, logFile, variant.args);
    const host = await waitUntilAnswering(daemon, logFile);
    if (host !== undefined) {
      log("docker engine answers");
      return ownEngine(daemon, host, directory, mountsBefore, log);
    }
  }
  throw failure(
    `the docker engine did not start, its last words in ${logFile}:\n${lastLines(logFile)}`,
    "start docker by other means, or set DOCKER_HOST",
  );
}

function spawnDaemon(directory: string, logFile: string, args: readonly string[]): ChildProcess {
  const output = openSync(logFile, "a");
  const mtu = defaultRouteMtu();
  const daemon = spawn(
    "setpriv",
    [
      // However this process ends, the engine must not stay behind.
      "--pdeathsig=TERM",
      "dockerd",
      `--pidfile=${join(directory, "dockerd.pid")}`,
      // Containers behind a narrower link than their own would lose every large packet.
      ...(mtu === undefined ? [] : [`--mtu=${mtu}`]),
      ...args,
    ],
    // Its own process group: an interrupt at the terminal must leave it alive until the containers are removed.
    { stdio: ["ignore", output, output], detached: true },
  );
  closeSync(output);
  daemon.unref();
  return daemon;
}

async function waitUntilAnswering(daemon: ChildProcess, logFile: string): Promise<string | undefined> {
  let hasEnded = false;
  daemon.once("exit", () => {
    hasEnded = true;
  });
  daemon.once("error", () => {
    hasEnded = true;
  });
  const deadlineMs = performance.now() + startLimitMs;
  while (!hasEnded) {
    const host = await answeringHost();
    if (host !== undefined) return host;
    if (performance.now() > deadlineMs) {
      daemon.kill("SIGKILL");
      throw failure(
        `the docker engine did not answer within ${startLimitMs / 1000} s, its last words:\n${lastLines(logFile)}`,
        `read ${logFile}`,
      );
    }
    await delay(200);
  }
  return undefined;
}

function ownEngine(
  daemon: ChildProcess,
  host: string,
  directory: string,
  mountsBefore: readonly string[],
  log: Log,
): DockerEngine {
  const exited = new Promise<void>((resolve) => daemon.once("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    log("stopping the docker engine");
    daemon.ref();
    daemon.kill("SIGTERM");
    const timer = new AbortController();
    const isLate = await Promise.race([
      exited.then(() => false),
      delay(stopLimitMs, true, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    if (isLate) {
      daemon.kill("SIGKILL");
      throw failure(
        `the docker engine did not end within ${stopLimitMs / 1000} s of SIGTERM and was killed`,
        `look for processes it left behind and read ${join(directory, "dockerd.log")}`,
      );
    }
    for (const mount of dockerMounts().filter((path) => !mountsBefore.includes(path))) {
      await runCommand("umount", [mount]);
    }
    rmSync(directory, { recursive: true, force: true });
  };
  let stopping: Promise<void> | undefined;
  return {
    host,
    isOwn: true,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Mount points below the engine's directories, the innermost first. */
function dockerMounts(): readonly string[] {
  return readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => /^(?:\/var)?\/run\/docker\/|^\/var\/lib\/docker\//.test(path))
    .reverse();
}

function defaultRouteMtu(): number | undefined {
  try {
    const route = readFileSync("/proc/net/route", "utf8")
      .split("\n")
      .map((line) => line.split("\t"))
      .find((fields) => fields[1] === "00000000");
    const mtu = Number(readFileSync(`/sys/class/net/${route?.[0]}/mtu`, "utf8"));
    return Number.isInteger(mtu) && mtu < 1500 ? mtu : undefined;
  } catch {
    // Without a default route there is no limit to respect.
    return undefined;
  }
}

function lastLines(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-15).join("\n");
}
