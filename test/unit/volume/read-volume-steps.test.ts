import { rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { writeAllInPlace } from "../../support/plain-volume.ts";
import { createSecretVolume, type PublishStep } from "../../support/secret-volume.ts";
import { contentsOf } from "./contents.ts";
import { createScratch, requestFor } from "./scratch.ts";

const first = { "tls.crt": "certificate 1", "tls.key": "key 1" };
const second = { "tls.crt": "certificate 2", "tls.key": "key 2" };
const oldContents = ["certificate 1", "key 1", undefined];
const newContents = ["certificate 2", "key 2", undefined];

/** The steps of a swap in order, each with what a look right after it brings. */
async function lookAfterEachStep(order: "current" | "old"): Promise<[PublishStep, readonly (string | undefined)[]][]> {
  const volume = await createSecretVolume(await createScratch(), { order });
  await volume.publish(first);
  const looks: [PublishStep, readonly (string | undefined)[]][] = [];
  for await (const step of volume.steps(second)) looks.push([step, await contentsOf(requestFor(volume.directory))]);
  return looks;
}

test.for(["current", "old"] as const)(
  "a swap in the %s order shows the old pair until the rename and the new pair from then on",
  async (order) => {
    expect(await lookAfterEachStep(order)).toEqual([
      ["directory-made", oldContents],
      ["file-written", oldContents],
      ["file-mode-set", oldContents],
      ["file-written", oldContents],
      ["file-mode-set", oldContents],
      ["data-link-made", oldContents],
      ["data-link-renamed", newContents],
      ["old-file-removed", newContents],
      ["old-file-removed", newContents],
      ["old-directory-removed", newContents],
    ]);
  },
);

test("a first publication is absent, then unlinked, then whole", async () => {
  const volume = await createSecretVolume(await createScratch());
  const looks: unknown[] = [];
  for await (const step of volume.steps(first)) looks.push([step, await contentsOf(requestFor(volume.directory))]);
  expect(looks).toEqual([
    ["directory-made", ["volume-empty"]],
    ["file-written", ["volume-empty"]],
    ["file-mode-set", ["volume-empty"]],
    ["file-written", ["volume-empty"]],
    ["file-mode-set", ["volume-empty"]],
    ["data-link-made", ["volume-empty"]],
    ["data-link-renamed", ["links-missing", "links-missing"]],
    ["visible-link-made", ["links-missing"]],
    ["visible-link-made", oldContents],
  ]);
});

test("a first publication in the old order shows links into nothing until the rename", async () => {
  const volume = await createSecretVolume(await createScratch(), { order: "old" });
  const looks: unknown[] = [];
  for await (const step of volume.steps(first)) looks.push([step, await contentsOf(requestFor(volume.directory))]);
  expect(looks.slice(5)).toEqual([
    ["visible-link-made", ["dangling-link", "file-absent"]],
    ["visible-link-made", ["dangling-link", "dangling-link"]],
    ["data-link-made", ["dangling-link", "dangling-link"]],
    ["data-link-renamed", oldContents],
  ]);
});

test.for(["current", "old"] as const)(
  "wherever a writer of the %s order dies, the next one gets through",
  async (order) => {
    const steps = (await lookAfterEachStep(order)).length;
    for (let deaths = 0; deaths <= steps; deaths++) {
      const volume = await createSecretVolume(await createScratch(), { order });
      await volume.publish(first);
      const dying = volume.steps(second);
      for (let step = 0; step < deaths; step++) await dying.next();

      const third = { "tls.crt": "certificate 3", "tls.key": "key 3" };
      await volume.publish(third);

      expect(await contentsOf(requestFor(volume.directory))).toEqual(["certificate 3", "key 3", undefined]);
    }
  },
);

test("a key that left the Secret is absent, whether its link still dangles or not", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish(first);
  const looks: unknown[] = [];
  for await (const step of volume.steps({ "tls.crt": "certificate 2" })) {
    looks.push([step, await contentsOf(requestFor(volume.directory))]);
  }
  expect(looks.slice(3, 6)).toEqual([
    ["data-link-made", oldContents],
    ["data-link-renamed", ["dangling-link"]],
    ["visible-link-removed", ["file-absent"]],
  ]);
});

test("a writer that removes the data link before it makes the new one is survived", async () => {
  const volume = await createSecretVolume(await createScratch());
  await volume.publish(first);
  const next = join(volume.directory, "..2026_11_30_09_10_00.1");
  await writeAllInPlace(next, second);

  await rm(join(volume.directory, "..data"));
  expect(await contentsOf(requestFor(volume.directory))).toEqual(["dangling-link", "dangling-link"]);
  await symlink(basename(next), join(volume.directory, "..data"));
  expect(await contentsOf(requestFor(volume.directory))).toEqual(newContents);
});
