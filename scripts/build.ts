// Builds the one file that ships, dist/certhup.mjs, and beside it the licences of the packages that are in it.
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Metafile } from "esbuild";

const outputDirectory = "dist";
const bundle = join(outputDirectory, "certhup.mjs");

await rm(outputDirectory, { recursive: true, force: true });
await mkdir(outputDirectory);
const { metafile } = await build({
  entryPoints: ["cmd/main.ts"],
  outfile: bundle,
  bundle: true,
  platform: "node",
  format: "esm",
  // Older versions of Node must be able to parse the file, so that they can say that they are too old.
  target: "node18",
  supported: { "import-attributes": true, "top-level-await": true },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  // CommonJS packages ask for Node's own modules by require, which an ESM file has to be given.
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
});
await chmod(bundle, 0o755);
const packages = packagesOf(metafile);
await writeFile(join(outputDirectory, "LICENSES.txt"), await gatherLicences(packages));
const { size } = await stat(bundle);
console.log(`${bundle}: ${Math.round(size / 1024)} KiB, with ${packages.length} packages: ${packages.join(", ")}`);

function packagesOf({ inputs }: Metafile): readonly string[] {
  const names = Object.keys(inputs).flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

async function gatherLicences(names: readonly string[]): Promise<string> {
  const texts = names.map(async (name) => {
    const directory = join("node_modules", name);
    const { version, license } = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${(await readLicence(directory)).trim()}\n`;
  });
  const own = `certhup (Apache-2.0)\n\n${await readFile("LICENSE", "utf8")}`;
  return [own, ...(await Promise.all(texts))].join(`\n${"=".repeat(80)}\n\n`);
}

/** @throws if a package has no licence text: what we may not ship must not be in the bundle */
async function readLicence(directory: string): Promise<string> {
  for (const name of ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license", "license.md"]) {
    const text = await readFile(join(directory, name), "utf8").catch(() => undefined);
    if (text !== undefined) return text;
  }
  throw new Error(`${directory} has no licence text to ship with the bundle`);
}
