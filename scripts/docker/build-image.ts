import { relative } from "node:path";
import process from "node:process";
import { type CommandResult, type Log, signsOfLife, tryCommand } from "./command.ts";

/** What to build and how to name it. */
export interface ImageBuild {
  readonly tag: string;
  readonly context: string;
  readonly dockerfile: string;
}

/** Words by which npm, apt-get and Node tell that they reached nothing. */
const networkTrouble = /resolv|connect|network|timed out|EAI_AGAIN|ENOTFOUND|ETIMEDOUT|ECONN|ENETUNREACH/i;

/**
 * Builds an image with the engine's layer cache. Where the build network reaches nothing the machine's own is tried.
 * @throws Error with the last lines of the build
 */
export async function buildImage(build: ImageBuild, log: Log): Promise<void> {
  const startMs = performance.now();
  log(`building ${build.tag} from ${relative(process.cwd(), build.dockerfile)}`);
  let result = await runBuild(build, [], log);
  if (result.status !== 0 && networkTrouble.test(result.tail)) {
    log(`build failed, trying it with the machine's own network:\n${result.tail}`);
    result = await runBuild(build, ["--network=host"], log);
  }
  if (result.status !== 0) throw new Error(`could not build ${build.tag} from ${build.dockerfile}:\n${result.tail}`);
  log(`built ${build.tag} in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
}

function runBuild(build: ImageBuild, flags: readonly string[], log: Log): Promise<CommandResult> {
  return tryCommand(
    "docker",
    ["build", ...flags, ...proxyArguments(), "--tag", build.tag, "--file", build.dockerfile, build.context],
    { onLine: signsOfLife(build.tag, log) },
  );
}

/** Docker knows these arguments by itself, so no Dockerfile has to name them. */
function proxyArguments(): readonly string[] {
  return ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"]
    .filter((name) => (process.env[name] ?? "") !== "")
    .flatMap((name) => ["--build-arg", name]);
}
