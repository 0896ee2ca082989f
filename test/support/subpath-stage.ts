import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { RunningAgent } from "./agent.ts";
import { type Child, startChild } from "./child.ts";
import { createStage, endWithTest, type Stage } from "./stage.ts";

/** What a container mounts of the volume: all of it, or each file alone by `subPath`. */
export type MountWay = "whole" | "subpath";

/** A stage whose server and agent have mounts of their own, as two containers do. */
export interface MountedStage extends Stage {
  startMountedServer(way: MountWay): Promise<Child>;
  /** @param way how the agent's own container mounts the volume; whole when absent */
  startMountedAgent(flags?: readonly string[], way?: MountWay): Promise<RunningAgent>;
}

const program = fileURLToPath(new URL("server-program.ts", import.meta.url));
const names = ["tls.crt", "tls.key"];

/** Sets up such a stage with a pair in its volume. It takes the right to mount: the tests run as root. */
export async function createMountedStage(): Promise<MountedStage> {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  const { directory } = stage.volume;
  const mountPoint = async (container: string): Promise<string> => {
    const path = join(dirname(directory), container);
    await mkdir(path);
    for (const name of names) await writeFile(join(path, name), "");
    return path;
  };
  const [, , , pidFile = "", , endpoint = ""] = stage.target;
  return {
    ...stage,
    async startMountedServer(way) {
      const path = await mountPoint("server");
      const port = endpoint.split(":").at(-1) ?? "";
      const [command = "", ...args] = [
        ...mountBy(way, directory, path),
        process.execPath,
        program,
        path,
        port,
        pidFile,
      ];
      const server = startChild(command, args);
      endWithTest("server", server);
      await server.untilOutput(/listening/);
      return server;
    },
    async startMountedAgent(flags = [], way = "whole") {
      const path = await mountPoint("agent");
      return stage.startAgent(["--cert-dir", path, ...flags], {}, mountBy(way, directory, path));
    },
  };
}

/** A command that becomes what follows it, in a mount namespace of its own in which the volume is mounted at `path`. */
function mountBy(way: MountWay, directory: string, path: string): readonly string[] {
  const mounts = {
    whole: 'mount --bind "$1" "$2"',
    subpath: names.map((name) => `mount --bind "$(readlink -f "$1/${name}")" "$2/${name}"`).join(" && "),
  };
  return ["unshare", "-m", "sh", "-e", "-c", `${mounts[way]}; shift 2; exec "$@"`, "sh", directory, path];
}
