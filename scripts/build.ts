// Builds what ships into dist/: certhup.mjs, beside it the parts that few need and that are loaded only then, and the
// licences of the packages that are in them.
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

const outputDirectory = "dist";
const bundle = join(outputDirectory, "certhup.mjs");

/** Parts with large packages in them: an agent that doesn't use them shall not hold their source in memory. */
const asides: ReadonlyMap<string, string> = new Map([
  [resolve("src/reload/http.ts"), "reload-http.mjs"],
  [resolve("src/config/config-file.ts"), "config-file.mjs"],
]);

const keepAsidesApart: Plugin = {
  name: "keep-asides-apart",
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
      const aside = kind === "dynamic-import" ? asides.get(resolve(resolveDir, path)) : undefined;
      return aside === undefined ? undefined : { path: `./${aside}`, external: true };
    });
  },
};

const common: BuildOptions = {
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
  plugins: [keepAsidesApart],
  // CommonJS packages ask for Node's own modules by require, which an ESM file has to be given.
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
};

await rm(outputDirectory, { recursive: true, force: true });
await mkdir(outputDirectory);
const inputs = [
  await bundleFile("cmd/main.ts", bundle),
  ...(await Promise.all([...asides].map(([input, name]) => bundleFile(input, join(outputDirectory, name))))),
];
await chmod(bundle, 0o755);
const packages = packagesOf(inputs.flat());
await writeFile(join(outputDirectory, "LICENSES.txt"), await gatherLicences(packages));
for (const name of await readdir(outputDirectory)) {
  const { size } = await stat(join(outputDirectory, name));
  console.log(`${join(outputDirectory, name)}: ${Math.round(size / 1024)} KiB`);
}
console.log(`with ${packages.length} packages: ${packages.join(", ")}`);

async function bundleFile(input: string, outfile: string): Promise<readonly string[]> {
  const { metafile } = await build({ ...common, entryPoints: [input], outfile });
  return Object.keys((metafile as Metafile).inputs);
}

function packagesOf(inputPaths: readonly string[]): readonly string[] {
  const names = inputPaths.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
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
