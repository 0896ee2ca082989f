import { readFile } from "node:fs/promises";
import { failure, type Log, tryCommand } from "./command.ts";
import { recipeKey, recipeLabel } from "./local-base.ts";
import { localBaseImages } from "./local-base-images.ts";
import { readPullFailure } from "./pull-answer.ts";

/** How long a registry may stay silent before it counts as out of reach. */
const silenceLimitMs = 8000;

/**
 * Makes the images that the Dockerfiles begin from available to the engine: one that is there is kept, otherwise it is
 * pulled; where no registry answers it is made on this machine under the same name, so that the Dockerfiles need to
 * know nothing of it. The log says which ones are such stand-ins, and how to remove them.
 * @throws Error naming the image that can be neither pulled nor made, or that its registry refused
 */
export async function ensureBaseImages(dockerfiles: readonly string[], log: Log): Promise<void> {
  const silentRegistries = new Set<string>();
  for (const name of await baseImageNames(dockerfiles)) await ensureBaseImage(name, silentRegistries, log);
}

/** The images named by FROM lines, in order, without stages, `scratch` and repetitions. */
export async function baseImageNames(dockerfiles: readonly string[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const file of dockerfiles) {
    const stages = new Set(["scratch"]);
    const text = await readFile(file, "utf8");
    for (const line of text.split("\n")) {
      const match = /^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?\s*$/i.exec(line);
      const image = match?.[1];
      if (image === undefined) continue;
      if (!stages.has(image)) names.add(image);
      const stage = match?.[2];
      if (stage !== undefined) stages.add(stage);
    }
  }
  return [...names];
}

async function ensureBaseImage(name: string, silentRegistries: Set<string>, log: Log): Promise<void> {
  const recipe = localBaseImages.get(name);
  const present = await tryCommand("docker", ["image", "inspect", "--format", "{{json .Config.Labels}}", name]);
  if (present.status === 0) {
    // An image without our label was pulled; one with an old label was made for another Node or other certificates.
    const label = readLabel(present.stdout);
    if (label === undefined || recipe === undefined || label === (await recipeKey())) return;
  } else if (await pull(name, silentRegistries, log)) {
    return;
  }
  if (recipe === undefined) {
    throw failure(
      `the image ${name} can be neither pulled nor made here`,
      `run "docker pull ${name}" where a registry answers, or "docker load" it`,
    );
  }
  if (recipe.base !== undefined) await ensureBaseImage(recipe.base, silentRegistries, log);
  const startMs = performance.now();
  log(`no registry answers: making ${name} from Debian packages`);
  await recipe.make(name, log);
  log(`made ${name} in ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  log(`this ${name} is a stand-in under the public name; remove it with "docker rmi ${name}"`);
}

function readLabel(json: string): string | undefined {
  const labels: unknown = JSON.parse(json);
  if (typeof labels !== "object" || labels === null) return undefined;
  const label: unknown = Reflect.get(labels, recipeLabel);
  return typeof label === "string" ? label : undefined;
}

/**
 * Pulls an image; false where the registry does not answer. Each silent registry is asked once.
 * @throws Error with the registry's words where it answers, and refuses
 */
async function pull(name: string, silentRegistries: Set<string>, log: Log): Promise<boolean> {
  const registry = registryOf(name);
  if (silentRegistries.has(registry)) return false;
  log(`pulling ${name}`);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceLimitMs);
  const result = await tryCommand("docker", ["pull", name], {
    signal: silence.signal,
    // The first line comes once the registry has shown the image's manifest.
    onLine: () => clearTimeout(timer),
  });
  clearTimeout(timer);
  if (result.status === 0) return true;
  const { kind, detail } = readPullFailure(result.tail);
  if (kind === "refused") {
    throw failure(
      `${registry} refuses ${name}: ${detail}`,
      `see whether "docker pull ${name}" works after "docker login", or "docker load" the image`,
    );
  }
  silentRegistries.add(registry);
  log(`could not pull ${name}: ${detail}`);
  return false;
}

/** The registry's host by Docker's rule: a first part with a dot, a colon or the name localhost. */
function registryOf(name: string): string {
  const first = name.split("/")[0] ?? "";
  return name.includes("/") && /[.:]|^localhost$/.test(first) ? first : "docker.io";
}
