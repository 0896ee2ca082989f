import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { failure, tryCommand } from "./command.ts";

/** The label that tells an image made here from a pulled one; its value is {@link recipeKey}. */
export const recipeLabel = "certhup.local-base";

/** Counted up whenever the way images are made changes. */
const recipeRevision = 1;

const systemBundle = "/etc/ssl/certs/ca-certificates.crt";

/** Where what takes long to make is kept between runs. */
export function cacheDirectory(): string {
  const base = process.env["XDG_CACHE_HOME"];
  return join(base === undefined || base === "" ? join(homedir(), ".cache") : base, "certhup");
}

/** The Node 24 binary that goes into images: the one that npm installed for this project. */
export function nodeBinary(): string {
  const installed = fileURLToPath(new URL("../../node_modules/node/bin/node", import.meta.url));
  if (existsSync(installed)) return installed;
  if (process.versions.node.startsWith("24.")) return process.execPath;
  throw failure(`no Node 24 at ${installed}`, 'run "npm ci" first');
}

/** Settings of npm on this machine that a build needs too. */
export interface NpmSettings {
  readonly registry: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly cafile: string | undefined;
}

/** Reads npm's settings; undefined where npm's own default holds. */
export async function npmSettings(): Promise<NpmSettings> {
  const read = async (key: string): Promise<string | undefined> => {
    const result = await tryCommand("npm", ["config", "get", key]);
    const value = result.stdout.trim();
    return result.status !== 0 || value === "" || value === "null" || value === "undefined" ? undefined : value;
  };
  const [registry, httpsProxy, cafile] = await Promise.all([read("registry"), read("https-proxy"), read("cafile")]);
  return { registry: registry === "https://registry.npmjs.org/" ? undefined : registry, httpsProxy, cafile };
}

/** Every certificate authority this machine trusts, also those that only Node or npm were told of, as PEM. */
export function trustedCertificates(npm: NpmSettings): string {
  const files = new Set([systemBundle, npm.cafile, process.env["NODE_EXTRA_CA_CERTS"]]);
  const texts = new Set<string>();
  for (const file of files) {
    if (file !== undefined && existsSync(file)) texts.add(readFileSync(file, "utf8").trim());
  }
  return [...texts, ""].join("\n");
}

let key: Promise<string> | undefined;

/** Names everything an image made here depends on: another value means that it has to be made anew. */
export function recipeKey(): Promise<string> {
  key ??= computeRecipeKey();
  return key;
}

async function computeRecipeKey(): Promise<string> {
  const npm = await npmSettings();
  const node = await tryCommand(nodeBinary(), ["--version"]);
  return createHash("sha256")
    .update(JSON.stringify([recipeRevision, node.stdout, npm, trustedCertificates(npm)]))
    .digest("hex");
}
