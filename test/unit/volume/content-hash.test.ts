import { expect, test } from "vitest";
import { renameIntoPlace, writeAllInPlace } from "../../support/plain-volume.ts";
import { createSecretVolume } from "../../support/secret-volume.ts";
import { hashOf } from "./contents.ts";
import { createScratch, requestFor } from "./scratch.ts";

const files = { "tls.crt": "certificate 1", "tls.key": "key 1", "ca.crt": "authority 1" };
const longAgo = new Date(1_700_000_000_000);

test("the same content published again has the same hash under another generation", async () => {
  const volume = await createSecretVolume(await createScratch());
  const generation = await volume.publish(files);
  const before = await hashOf(requestFor(volume.directory));
  await volume.publish({ ...files, unrelated: "new" });
  expect(await volume.generation()).not.toBe(generation);
  expect(await hashOf(requestFor(volume.directory))).toBe(before);
});

test("the same content has the same hash in every layout", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish(files);
  const plain = await createScratch();
  await writeAllInPlace(plain, files);
  expect(await hashOf(requestFor(plain))).toBe(await hashOf(requestFor(volume.directory)));
});

test.for(Object.keys(files))("a change of %s alone changes the hash, with the same size and times", async (name) => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish(files, { modifiedAt: longAgo });
  const before = await hashOf(requestFor(volume.directory));
  const content = files[name as keyof typeof files].replace("1", "2");
  await volume.publish({ ...files, [name]: content }, { modifiedAt: longAgo });
  expect(await hashOf(requestFor(volume.directory))).not.toBe(before);
});

test("an authority that appears changes the hash", async () => {
  const directory = await createScratch();
  await writeAllInPlace(directory, { "tls.crt": "certificate 1", "tls.key": "key 1" });
  const before = await hashOf(requestFor(directory));
  await renameIntoPlace(directory, "ca.crt", "");
  expect(await hashOf(requestFor(directory))).not.toBe(before);
});

test("bytes that move from one file to the next change the hash", async () => {
  const directory = await createScratch();
  await writeAllInPlace(directory, { "tls.crt": "ab", "tls.key": "c" });
  const before = await hashOf(requestFor(directory));
  await writeAllInPlace(directory, { "tls.crt": "a", "tls.key": "bc" });
  expect(await hashOf(requestFor(directory))).not.toBe(before);
});
