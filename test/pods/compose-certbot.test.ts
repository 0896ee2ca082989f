import { mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createAuthority, type IssuedCertificate } from "../support/certificates.ts";
import { startPod } from "../support/pod.ts";

const folder = "examples/compose-certbot";
const name = "www.example.com";

interface Service {
  readonly command: readonly string[];
  readonly user?: string;
  readonly volumes: readonly string[];
}

/** Writes as certbot does: files with a new number in archive/, then each link in live/ turned to its new file. */
function createCertbot(directory: string): (pair: IssuedCertificate) => Promise<void> {
  let count = 0;
  return async ({ certificatePem, keyPem }) => {
    count += 1;
    const [archive, live] = [join(directory, "archive", name), join(directory, "live", name)];
    await mkdir(archive, { recursive: true });
    await mkdir(live, { recursive: true });
    const files = { privkey: keyPem, fullchain: certificatePem };
    for (const [kind, content] of Object.entries(files)) {
      await writeFile(join(archive, `${kind}${count}.pem`), content, { mode: kind === "privkey" ? 0o600 : 0o644 });
    }
    for (const kind of Object.keys(files)) {
      await symlink(`../../archive/${name}/${kind}${count}.pem`, join(live, `${kind}.new`));
      await rename(join(live, `${kind}.new`), join(live, `${kind}.pem`));
    }
  };
}

test("certbot's renewals are served by the nginx of examples/compose-certbot and confirmed by its certhup", async () => {
  const { services } = parse(await readFile(join(folder, "compose.yaml"), "utf8")) as {
    readonly services: Readonly<Record<"nginx" | "certhup", Service>>;
  };
  const authority = createAuthority();
  const issue = () => authority.issue({ names: [name] });
  const pod = await startPod();
  const letsencrypt = join(pod.directory, "letsencrypt");
  const renew = createCertbot(letsencrypt);
  const first = await issue();
  await renew(first);
  const mountsOf = ({ volumes }: Service) =>
    volumes.map((volume) => {
      const [source = "", target = ""] = volume.split(":");
      return {
        source: source === "/etc/letsencrypt" ? letsencrypt : join(process.cwd(), folder, source),
        target,
        mode: "ro" as const,
      };
    });

  const { nginx, certhup } = services;
  await pod.launch("nginx", {
    entrypoint: nginx.command,
    user: "0:0",
    hasWritableRoot: true,
    // What a container of root has where compose.yaml takes nothing away, and nginx needs.
    capabilities: ["CHOWN", "DAC_OVERRIDE", "SETGID", "SETUID"],
    mounts: mountsOf(nginx),
  });
  await pod.launch("certhup", {
    image: pod.agentImage,
    command: [...certhup.command, "--verify-interval=1s"],
    user: certhup.user,
    mounts: mountsOf(certhup),
  });
  await pod.untilState("in-sync");

  for (const renewed of [await issue(), await issue()]) {
    await renew(renewed);
    await pod.untilConfirmed(renewed);
    expect(await pod.shakeHands()).toEqual({ fingerprint: renewed.fingerprint });
  }
  const { readiness, rotations } = await pod.status();
  expect(readiness).toMatchObject({ ready: true, state: "in-sync" });
  expect(rotations).toMatchObject([
    { outcome: "confirmed", reloads: 1 },
    { outcome: "confirmed", reloads: 1 },
  ]);
});
