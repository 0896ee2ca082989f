import { execFileSync } from "node:child_process";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Finding } from "../../../src/core/finding.ts";
import { readVolume } from "../../../src/volume/read-volume.ts";
import type { VolumeRequest } from "../../../src/volume/volume-request.ts";
import { writeAllInPlace, writeInPlace } from "../../support/plain-volume.ts";
import { createSecretVolume } from "../../support/secret-volume.ts";
import { createScratch, requestFor } from "./scratch.ts";

const files = { "tls.crt": "certificate 1", "tls.key": "key 1" };

async function findingsOf(request: VolumeRequest): Promise<readonly Finding[]> {
  return (await readVolume(request)).findings;
}

async function findingOf(request: VolumeRequest): Promise<Pick<Finding, "code" | "message">> {
  const [finding, ...others] = await findingsOf(request);
  if (finding === undefined || others.length > 0) throw new Error(`${others.length + (finding ? 1 : 0)} findings`);
  expect(finding.hint).toMatch(/^[^A-Z].*[^.]$/);
  return { code: finding.code, message: finding.message };
}

test("a directory that does not exist is named", async () => {
  const directory = join(await createScratch(), "certs");
  expect(await findingOf(requestFor(directory))).toEqual({
    code: "volume-absent",
    message: `there is no directory ${directory}`,
  });
});

test("a directory behind a link into nothing names link and target", async () => {
  const scratch = await createScratch();
  const directory = join(scratch, "certs");
  await symlink("elsewhere", directory);
  expect(await findingOf(requestFor(directory))).toEqual({
    code: "dangling-link",
    message: `the link ${directory} leads to ${scratch}/elsewhere, which does not exist`,
  });
});

test("a file in place of the directory is no directory", async () => {
  const scratch = await createScratch();
  await writeFile(join(scratch, "certs"), "");
  expect(await findingOf(requestFor(join(scratch, "certs")))).toMatchObject({ code: "not-a-directory" });
});

test("an empty directory is one finding", async () => {
  const directory = await createScratch();
  expect(await findingOf(requestFor(directory))).toEqual({
    code: "volume-empty",
    message: `the directory ${directory} is empty`,
  });
});

test("a Secret without keys is an empty volume, too", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish({});
  expect(await findingOf(requestFor(volume.directory))).toMatchObject({ code: "volume-empty" });
});

test("an absent file tells which names there are", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish({ "cert.pem": "certificate 1", "tls.key": "key 1" });
  expect(await findingOf(requestFor(volume.directory))).toEqual({
    code: "file-absent",
    message: `there is no ${volume.directory}/tls.crt; the directory holds cert.pem, tls.key`,
  });
});

test("names that could harm a terminal are shown escaped, and only a few of them", async () => {
  const directory = await createScratch();
  for (const name of ["\u001b[31m", "ü", ...Array.from({ length: 9 }, (_, index) => `z${index}`)]) {
    await writeInPlace(directory, name, "");
  }
  const [finding] = await findingsOf(requestFor(directory, { keyFile: undefined }));
  expect(finding?.message).toContain(String.raw`holds "\x1b[31m", z0, z1, z2, z3, z4, z5, z6 and 3 more`);
});

test("all files get their findings at once", async () => {
  const directory = await createScratch();
  await mkdir(join(directory, "tls.crt"));
  await writeInPlace(directory, "tls.key", "");
  expect((await findingsOf(requestFor(directory))).map((finding) => finding.code)).toEqual([
    "is-directory",
    "file-empty",
  ]);
});

test("a directory in place of a file speaks of subPath", async () => {
  const directory = await createScratch();
  await mkdir(join(directory, "tls.crt"));
  await writeInPlace(directory, "tls.key", "key 1");
  const [finding] = await findingsOf(requestFor(directory));
  expect(finding).toMatchObject({ code: "is-directory", message: `${directory}/tls.crt is a directory` });
  expect(finding?.hint).toContain("subPath");
});

test("a link into nothing names the missing target at the end of the chain", async () => {
  const directory = await createScratch();
  await writeInPlace(directory, "tls.key", "key 1");
  await symlink("..data/tls.crt", join(directory, "tls.crt"));
  await symlink("..2026_11_30_09_10_00.1", join(directory, "..data"));
  expect(await findingOf(requestFor(directory))).toEqual({
    code: "dangling-link",
    message: `the link ${directory}/..data leads to ${directory}/..2026_11_30_09_10_00.1/tls.crt, which does not exist`,
  });
});

test("a link out of the volume into nothing says that only a part is mounted", async () => {
  const directory = await createScratch();
  await writeInPlace(directory, "tls.key", "key 1");
  await symlink("../../archive/example/cert1.pem", join(directory, "tls.crt"));
  const [finding] = await findingsOf(requestFor(directory));
  expect(finding).toMatchObject({ code: "link-outside", hint: expect.stringContaining("/etc/letsencrypt") });
});

test("links that lead back to themselves end", async () => {
  const directory = await createScratch();
  await writeInPlace(directory, "tls.key", "key 1");
  await symlink("other", join(directory, "tls.crt"));
  await symlink("tls.crt", join(directory, "other"));
  expect(await findingOf(requestFor(directory))).toMatchObject({ code: "link-loop" });
});

test("a generation without its visible links is held", async () => {
  const volume = await createSecretVolume(await createScratch());
  const generation = await volume.publish(files);
  await rm(join(volume.directory, "tls.key"));
  const [finding] = await findingsOf(requestFor(volume.directory));
  expect(finding).toMatchObject({
    code: "links-missing",
    severity: "hold",
    message: `${volume.directory}/${generation}/tls.key is published, but there is no link ${volume.directory}/tls.key that leads to it`,
  });
});

test("a path through a file is no directory", async () => {
  const directory = await createScratch();
  await writeAllInPlace(directory, files);
  expect(await findingOf(requestFor(directory, { certificateFile: "tls.crt/leaf" }))).toMatchObject({
    code: "not-a-directory",
  });
});

test("a pipe without a writer is refused at once", async () => {
  const directory = await createScratch();
  await writeInPlace(directory, "tls.key", "key 1");
  execFileSync("mkfifo", [join(directory, "tls.crt")]);
  expect(await findingOf(requestFor(directory))).toMatchObject({ code: "not-a-file" });
});

test("a socket and a device are no files", async () => {
  const directory = await createScratch();
  const server = createServer().listen(join(directory, "tls.crt"));
  onTestFinished(() => void server.close());
  expect((await findingsOf(requestFor(directory, { keyFile: "/dev/zero" }))).map((finding) => finding.code)).toEqual([
    "not-a-file",
    "not-a-file",
  ]);
});

test("a file above the limit is not read, one at the limit is", async () => {
  const directory = await createScratch();
  await writeAllInPlace(directory, { "tls.crt": "x".repeat(1001), "tls.key": "x".repeat(1000) });
  expect(await findingOf(requestFor(directory, { maxFileSizeBytes: 1000 }))).toEqual({
    code: "too-large",
    message: `${directory}/tls.crt is larger than 1000 bytes`,
  });
});

test("a file that says it is empty is read all the same, and cut off at the limit", async () => {
  const directory = await createScratch();
  const request = requestFor(directory, { certificateFile: "/proc/version", keyFile: undefined });
  expect(await readVolume(request)).toMatchObject({ kind: "read", certificate: await readFile("/proc/version") });
  expect(await findingOf({ ...request, maxFileSizeBytes: 4 })).toMatchObject({ code: "too-large" });
});

test("an authority that can't be read is a warning, and keeps nothing back", async () => {
  const directory = await createScratch();
  await writeAllInPlace(directory, files);
  await symlink("nowhere", join(directory, "ca.crt"));
  const request = requestFor(directory);
  const read = await readVolume(request);
  expect(read).toMatchObject({ kind: "read", certificate: Buffer.from("certificate 1"), ca: undefined });
  expect(read.findings.map(({ code, severity }) => [code, severity])).toEqual([["dangling-link", "warn"]]);
});

test("the link of an authority that has left the Secret is no finding", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish({ ...files, "ca.crt": "authority 1" });
  for await (const step of volume.steps(files)) {
    const read = await readVolume(requestFor(volume.directory));
    if (read.kind === "unreadable" || read.findings.length > 0) throw new Error(`findings after ${step}`);
  }
});
