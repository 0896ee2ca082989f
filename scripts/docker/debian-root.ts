import { existsSync, globSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { ensurePrograms } from "../debian-packages.ts";
import { failure, type Log, runCommand, signsOfLife } from "./command.ts";
import { cacheDirectory } from "./local-base.ts";

const suite = "bookworm";

/** Files as in Debian's own slim images: no services at installation, no documentation, no caches. */
const slimFiles: Readonly<Record<string, string>> = {
  "usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n",
  "etc/dpkg/dpkg.cfg.d/docker-apt-speedup": "force-unsafe-io\n",
  "etc/dpkg/dpkg.cfg.d/docker": [
    "path-exclude /usr/share/doc/*",
    "path-include /usr/share/doc/*/copyright",
    "path-exclude /usr/share/info/*",
    "path-exclude /usr/share/locale/*",
    "path-exclude /usr/share/man/*",
    "",
  ].join("\n"),
  "etc/apt/apt.conf.d/docker-no-languages": 'Acquire::Languages "none";\n',
};

/**
 * A minimal Debian 12 system as a directory, made by debootstrap once and then kept.
 * @throws Error where this process is not root or debootstrap is missing and can't be installed
 */
export async function debianRoot(log: Log): Promise<string> {
  const root = join(cacheDirectory(), `debian-${suite}-${process.arch}`);
  if (existsSync(root)) return root;
  if (process.getuid?.() !== 0) {
    throw failure(
      "no image registry answers, and only root may make the base images from Debian packages",
      "run as root, or pull the base images of the Dockerfiles where a registry answers",
    );
  }
  await ensurePrograms([{ program: "debootstrap", packages: ["debootstrap"] }], log);
  const partial = `${root}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(cacheDirectory(), { recursive: true });
  const mirror = await debianMirror();
  log(`debootstrap ${suite} from ${mirror} (about a minute, once)`);
  await runCommand("debootstrap", ["--variant=minbase", suite, partial, mirror], {
    onLine: signsOfLife("debootstrap", log),
  });
  await makeSlim(partial, mirror);
  await rename(partial, root);
  return root;
}

async function makeSlim(root: string, mirror: string): Promise<void> {
  for (const [path, text] of Object.entries(slimFiles)) {
    await writeFile(join(root, path), text, { mode: path.startsWith("usr/sbin/") ? 0o755 : 0o644 });
  }
  const security = `${mirror.replace(/\/$/, "")}-security`;
  await writeFile(
    join(root, "etc/apt/sources.list"),
    [
      `deb ${mirror} ${suite} main`,
      `deb ${mirror} ${suite}-updates main`,
      `deb ${security} ${suite}-security main`,
      "",
    ].join("\n"),
  );
  const useless = globSync(
    [
      "var/cache/apt/archives/*.deb",
      "var/cache/apt/*.bin",
      "var/lib/apt/lists/*",
      "var/log/*.log",
      "usr/share/{info,locale,man}/*",
      "usr/share/doc/*/!(copyright)",
    ],
    { cwd: root },
  );
  for (const path of useless) await rm(join(root, path), { recursive: true, force: true });
  // The engine writes these for each container; the machine's own must not be carried along.
  for (const path of ["etc/resolv.conf", "etc/hostname"]) await rm(join(root, path), { force: true });
}

/** The Debian mirror that this machine uses itself, else the public one. */
async function debianMirror(): Promise<string> {
  const files = globSync(["/etc/apt/sources.list", "/etc/apt/sources.list.d/*.{list,sources}"]);
  for (const file of files) {
    const text = await readFile(file, "utf8");
    const match = /^(?:deb\s+(?:\[[^\]]*\]\s+)?|URIs:\s*)(https?:\/\/\S+\/debian)\/?(?:\s|$)/m.exec(text);
    if (match?.[1] !== undefined) return match[1];
  }
  return "http://deb.debian.org/debian";
}
