import { mkdir, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readVolume } from "../../../src/volume/read-volume.ts";
import { createCertbotLineage, renameIntoPlace, writeAllInPlace, writeInPlace } from "../../support/plain-volume.ts";
import { createSecretVolume } from "../../support/secret-volume.ts";
import { contentsOf } from "./contents.ts";
import { createScratch, requestFor } from "./scratch.ts";

const first = { "tls.crt": "certificate 1", "tls.key": "key 1", "ca.crt": "authority 1" };
const second = { "tls.crt": "certificate 2", "tls.key": "key 2", "ca.crt": "authority 2" };

test("a Secret volume is read whole, atomically, and under its generation's name", async () => {
  const volume = await createSecretVolume(await createScratch());
  const generation = await volume.publish(first);

  const read = await readVolume(requestFor(volume.directory));

  expect(read).toEqual({
    kind: "read",
    source: { generation, isAtomic: true, contentHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    certificate: Buffer.from("certificate 1"),
    key: Buffer.from("key 1"),
    ca: Buffer.from("authority 1"),
    findings: [],
  });
});

test("without a key file the key is not read", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish(first, { mode: 0o644 });
  expect(await contentsOf(requestFor(volume.directory, { keyFile: undefined }))).toEqual([
    "certificate 1",
    undefined,
    "authority 1",
  ]);
});

test("an authority that is not there is no finding", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish({ "tls.crt": "certificate 1", "tls.key": "key 1" });
  expect(await contentsOf(requestFor(volume.directory))).toEqual(["certificate 1", "key 1", undefined]);
});

test("a nested name and an absolute one inside the volume belong to the generation", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish({ "web/tls.crt": "certificate 1", "tls.key": "key 1" });
  const request = requestFor(volume.directory, {
    certificateFile: "web/tls.crt",
    keyFile: join(volume.directory, "tls.key"),
  });

  const read = await readVolume(request);

  expect(read.source.isAtomic).toBe(true);
  expect(await contentsOf(request)).toEqual(["certificate 1", "key 1", undefined]);
});

test("a link to a visible name is followed into the generation", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish(first);
  await symlink("tls.crt", join(volume.directory, "server.pem"));
  const request = requestFor(volume.directory, { certificateFile: "server.pem", keyFile: "..data/tls.key" });

  expect((await readVolume(request)).source.isAtomic).toBe(true);
  expect(await contentsOf(request)).toEqual(["certificate 1", "key 1", "authority 1"]);
});

test("a file outside the volume makes the whole look one that is not atomic", async () => {
  const scratch = await createScratch();
  const volume = await createSecretVolume(join(scratch, "volume"));
  await volume.publish(first);
  await writeFile(join(scratch, "other.key"), "key elsewhere");
  const request = requestFor(volume.directory, { keyFile: join(scratch, "other.key") });

  expect((await readVolume(request)).source.isAtomic).toBe(false);
  expect(await contentsOf(request)).toEqual(["certificate 1", "key elsewhere", "authority 1"]);
});

test("a plain file that shadows the generation is read, as a server would read it", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish(first);
  await unlink(join(volume.directory, "tls.crt"));
  await writeFile(join(volume.directory, "tls.crt"), "shadow");

  const request = requestFor(volume.directory);

  expect((await readVolume(request)).source.isAtomic).toBe(false);
  expect(await contentsOf(request)).toEqual(["shadow", "key 1", "authority 1"]);
});

test("files written in place and renamed into place are read as they lie", async () => {
  const directory = await createScratch();
  await writeAllInPlace(directory, first);
  await renameIntoPlace(directory, "tls.crt", "certificate 2");

  const read = await readVolume(requestFor(directory));

  expect(read.source).toEqual({ generation: "-", isAtomic: false, contentHash: expect.any(String) });
  expect(await contentsOf(requestFor(directory))).toEqual(["certificate 2", "key 1", "authority 1"]);
});

test.for(["relative", "absolute"] as const)(
  "links of their own with %s targets outside are followed",
  async (targets) => {
    const lineage = await createCertbotLineage(await createScratch(), { targets });
    const names = { certificateFile: "fullchain.pem", keyFile: "privkey.pem", caFile: undefined };
    await lineage.archive(1, { "fullchain.pem": "certificate 1", "privkey.pem": "key 1" });
    await lineage.archive(2, { "fullchain.pem": "certificate 2", "privkey.pem": "key 2" });
    for (const name of ["fullchain.pem", "privkey.pem"]) await lineage.point(name, 1);
    const request = requestFor(lineage.directory, names);
    expect(await contentsOf(request)).toEqual(["certificate 1", "key 1", undefined]);

    await lineage.point("privkey.pem", 2);
    expect(await contentsOf(request)).toEqual(["certificate 1", "key 2", undefined]);
    await lineage.point("fullchain.pem", 2);
    expect(await contentsOf(request)).toEqual(["certificate 2", "key 2", undefined]);
  },
);

test("a layout that changes kind is found anew at each look", async () => {
  const directory = await createScratch();
  const request = requestFor(directory);
  await writeAllInPlace(directory, first);
  expect((await readVolume(request)).source.isAtomic).toBe(false);

  for (const name of Object.keys(first)) await rm(join(directory, name));
  const volume = await createSecretVolume(directory);
  await volume.publish(second);
  expect((await readVolume(request)).source.isAtomic).toBe(true);
  expect(await contentsOf(request)).toEqual(["certificate 2", "key 2", "authority 2"]);

  await rm(join(directory, "..data"));
  for (const name of Object.keys(first)) await rm(join(directory, name));
  await writeInPlace(directory, "tls.crt", "certificate 3");
  await writeInPlace(directory, "tls.key", "key 3");
  expect((await readVolume(request)).source.isAtomic).toBe(false);
  expect(await contentsOf(request)).toEqual(["certificate 3", "key 3", undefined]);
});

test("a directory that is moved away and replaced is read anew", async () => {
  const scratch = await createScratch();
  const directory = join(scratch, "certs");
  await mkdir(join(scratch, "next"));
  await writeAllInPlace(directory, first);
  await writeAllInPlace(join(scratch, "next"), second);
  await rename(directory, join(scratch, "old"));
  expect(await contentsOf(requestFor(directory))).toEqual(["volume-absent"]);
  await rename(join(scratch, "next"), directory);
  expect(await contentsOf(requestFor(directory))).toEqual(["certificate 2", "key 2", "authority 2"]);
});

test("a bundle is handed over twice, so that overwriting the key leaves the certificate", async () => {
  const directory = await createScratch();
  await writeInPlace(directory, "bundle.pem", "certificate and key");
  const read = await readVolume(requestFor(directory, { certificateFile: "bundle.pem", keyFile: "bundle.pem" }));
  if (read.kind !== "read") throw new Error("the bundle was not read");

  read.key?.fill(0);

  expect(read.certificate.toString()).toBe("certificate and key");
});

test("what is read lies in no shared pool", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish(first);
  const read = await readVolume(requestFor(volume.directory));
  if (read.kind !== "read") throw new Error("the volume was not read");
  for (const bytes of [read.certificate, read.key, read.ca]) {
    expect((bytes?.buffer.byteLength ?? 0) - (bytes?.length ?? 0)).toBeLessThanOrEqual(1);
  }
});
