import { spawn } from "node:child_process";
import { globSync, lstatSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Log, runCommand, signsOfLife } from "./command.ts";
import { debianRoot } from "./debian-root.ts";
import { nodeBinary, npmSettings, recipeKey, recipeLabel, trustedCertificates } from "./local-base.ts";

/** How a public image is made on this machine. */
export interface LocalBaseImage {
  /** The image it is built on, which has to be there first. */
  readonly base?: string;
  make(name: string, log: Log): Promise<void>;
}

const debian = "debian:bookworm-slim";
const bundlePath = "etc/ssl/certs/ca-certificates.crt";

/** The shared libraries that Node needs, and the files every distroless image has. */
const distrolessPackages = ["base-files", "libc6", "libgcc-s1", "libstdc++6", "tzdata"];

/** The images that can be made here, by public name. */
export const localBaseImages: ReadonlyMap<string, LocalBaseImage> = new Map<string, LocalBaseImage>([
  [debian, { make: makeDebian }],
  ["node:24-bookworm-slim", { base: debian, make: makeNode }],
  ["gcr.io/distroless/nodejs24-debian12:nonroot", { make: makeDistroless }],
]);

async function makeDebian(name: string, log: Log): Promise<void> {
  const root = await debianRoot(log);
  // Apt needs them too, where the mirror speaks HTTPS.
  await writeBundle(root);
  await importImage(name, root, ['CMD ["bash"]']);
}

async function makeNode(name: string, log: Log): Promise<void> {
  await withDirectory(async (context) => {
    const prefix = join(context, "root/usr/local");
    await mkdir(join(prefix, "bin"), { recursive: true });
    await cp(nodeBinary(), join(prefix, "bin/node"));
    log("installing npm 11 for the node image");
    await runCommand("npm", ["install", "--global", "--prefix", prefix, "--ignore-scripts", "npm@11"], {
      onLine: signsOfLife("npm", log),
    });
    await mkdir(join(prefix, "etc"));
    await writeFile(join(prefix, "etc/npmrc"), await npmrc());
    const dockerfile = [
      `FROM ${debian}`,
      `LABEL ${recipeLabel}=${await recipeKey()}`,
      "COPY root/ /",
      "RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node",
      'CMD ["node"]',
      "",
    ].join("\n");
    await writeFile(join(context, "Dockerfile"), dockerfile);
    await runCommand("docker", ["build", "--tag", name, context], { onLine: signsOfLife("docker build", log) });
  });
}

async function makeDistroless(name: string, log: Log): Promise<void> {
  const debianPath = await debianRoot(log);
  await withDirectory(async (root) => {
    for (const link of ["lib", "lib64", "bin", "sbin"]) await symlink(`usr/${link}`, join(root, link));
    for (const packageName of distrolessPackages) await copyPackage(packageName, debianPath, root);
    await writeBundle(root);
    for (const directory of ["nodejs/bin", "home/nonroot", "tmp", "etc", "proc", "sys", "dev"]) {
      await mkdir(join(root, directory), { recursive: true });
    }
    await cp(nodeBinary(), join(root, "nodejs/bin/node"));
    await writeFile(
      join(root, "etc/passwd"),
      "root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n" +
        "nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n",
    );
    await writeFile(join(root, "etc/group"), "root:x:0:\nnobody:x:65534:\ntty:x:5:\nstaff:x:50:\nnonroot:x:65532:\n");
    await runCommand("chmod", ["1777", join(root, "tmp")]);
    await runCommand("chown", ["-R", "65532:65532", join(root, "home/nonroot")]);
    await importImage(name, root, [
      "USER 65532",
      "WORKDIR /home/nonroot",
      `ENV SSL_CERT_FILE=/${bundlePath}`,
      "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      'ENTRYPOINT ["/nodejs/bin/node"]',
    ]);
  });
}

/** Copies a Debian package's files, without documentation, from one root to another. */
async function copyPackage(name: string, from: string, to: string): Promise<void> {
  const [list] = globSync(`var/lib/dpkg/info/${name}{,:*}.list`, { cwd: from });
  if (list === undefined) throw new Error(`debian package ${name} is not in ${from}`);
  const paths = (await readFile(join(from, list), "utf8"))
    .split("\n")
    // Packages name /lib/…, which is a link to usr/lib in an installed system.
    .map((path) => path.replace(/^\/(?=(?:lib|lib64|bin|sbin)(?:\/|$))/, "usr/").replace(/^\//, ""))
    .filter((path) => !/^usr\/share\/(?:man|info|locale|lintian)\//.test(path) && isFileOrLink(join(from, path)));
  await runCommand("cp", ["--archive", "--parents", `--target-directory=${to}`, "--", ...paths], { cwd: from });
}

function isFileOrLink(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isDirectory();
}

async function importImage(name: string, root: string, changes: readonly string[]): Promise<void> {
  const label = `LABEL ${recipeLabel}=${await recipeKey()}`;
  const archive = spawn("tar", ["--create", "--numeric-owner", "--file=-", "--directory", root, "."], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const flags = [label, ...changes].flatMap((change) => ["--change", change]);
  await runCommand("docker", ["import", ...flags, "-", name], { input: archive.stdout });
}

async function writeBundle(root: string): Promise<void> {
  const certificates = trustedCertificates(await npmSettings());
  if (certificates.trim() === "") return;
  await mkdir(join(root, dirname(bundlePath)), { recursive: true });
  await writeFile(join(root, bundlePath), certificates);
}

/** npm's settings of this machine for npm inside an image, where the certificates lie in one place. */
async function npmrc(): Promise<string> {
  const settings = await npmSettings();
  return [
    `cafile=/${bundlePath}`,
    ...(settings.registry === undefined ? [] : [`registry=${settings.registry}`]),
    ...(settings.httpsProxy === undefined ? [] : [`https-proxy=${settings.httpsProxy}`]),
    "",
  ].join("\n");
}

async function withDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "certhup-base-"));
  try {
    // The directory becomes the root of an image, which everybody may enter.
    await chmod(directory, 0o755);
    await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
