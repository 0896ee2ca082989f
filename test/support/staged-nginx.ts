import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Child, startChild } from "./child.ts";
import type { Stage } from "./stage.ts";
import { until } from "./until.ts";

/** A real nginx for the volume and endpoint of a stage. */
export interface StagedNginx extends Child {
  /** The file that it was started with; written anew, it is read at the next reload. */
  readonly configuration: string;
  errorLog(): Promise<string>;
}

/** Debian's nginx. */
export const nginxProgram: string = execFileSync("bash", ["-c", "type -P nginx || echo /usr/sbin/nginx"], {
  encoding: "utf8",
}).trim();

/** The directives of a server block that serves the pair of a volume at the stage's endpoint. */
export function nginxServer({ endpoint, volume }: Stage): string {
  return `listen ${endpoint} ssl; ${nginxPair(volume.directory)}`;
}

/** The directives that load a pair. */
export function nginxPair(directory: string): string {
  return `ssl_certificate ${directory}/tls.crt; ssl_certificate_key ${directory}/tls.key;`;
}

/** Starts nginx with these server blocks and waits until its workers run; it ends with the test. */
export async function startNginx(
  stage: Stage,
  servers: readonly string[] = [nginxServer(stage)],
): Promise<StagedNginx> {
  const directory = dirname(stage.volume.directory);
  const configuration = join(directory, "nginx.conf");
  const errorLogFile = join(directory, "error.log");
  await writeFile(configuration, nginxConfiguration(stage, servers));
  const child = startChild(nginxProgram, ["-c", configuration, "-e", errorLogFile, "-g", "daemon off;"]);
  // Killed the hard way, it would leave its workers behind.
  onTestFinished(() => child.stop().then(() => undefined));
  const errorLog = (): Promise<string> => readFile(errorLogFile, "utf8");
  await until(errorLog, (text) => text.includes("start worker process "), { what: "nginx to start a worker" });
  return { ...child, configuration, errorLog };
}

/** The text of a configuration with these server blocks. */
export function nginxConfiguration(stage: Stage, servers: readonly string[] = [nginxServer(stage)]): string {
  const directory = dirname(stage.volume.directory);
  const [, , , pidFile = ""] = stage.target;
  return [
    `worker_processes 2; pid ${pidFile}; error_log ${directory}/error.log notice;`,
    "events { worker_connections 64; }",
    `http { access_log off; ${servers.map((server) => `server { ${server} }`).join("\n")} }`,
    "",
  ].join("\n");
}
