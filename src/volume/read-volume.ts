import { createHash } from "node:crypto";
import type { Finding } from "../core/finding.ts";
import type { VolumeSource } from "../core/volume-look.ts";
import { explainDirectory, explainFile, explainNothing, explainRestlessness } from "./explain.ts";
import { createGate } from "./gate.ts";
import { findLayout, type Layout, readMark } from "./layout.ts";
import type { VolumeRequest } from "./volume-request.ts";
import { closeFiles, type FileRead, identify, openFiles, overwrite, readFiles } from "./watched-file.ts";

/** What one look at the files brought. */
export type VolumeRead =
  | {
      readonly kind: "read";
      readonly source: VolumeSource;
      /** Holds the key, too, where both are one file: overwrite it like the key then. */
      readonly certificate: Buffer;
      /** Belongs to the caller, who overwrites it after use; undefined where no key file was asked for. */
      readonly key: Buffer | undefined;
      /** Undefined where the volume has no such file, or none that could be read: a finding says so then. */
      readonly ca: Buffer | undefined;
      /** Warnings for files that can be done without. */
      readonly findings: readonly Finding[];
    }
  | { readonly kind: "unreadable"; readonly source: VolumeSource; readonly findings: readonly Finding[] };

/** How often a look begins anew because the writer was quicker. */
const mostAttempts = 50;
/** From this attempt on a whole generation will do, though the writer has moved on to the next. */
const contentAttempt = 4;

/** More at once are no quicker, and cost descriptors and memory when hundreds of volumes are swapped together. */
const gate = createGate(16);

interface Attempt {
  readonly layout: Layout;
  readonly reads: readonly FileRead[];
}

/**
 * Reads every file of a volume from one generation: where the directory publishes through `..data`, all of them from
 * the generation that it points to; elsewhere, so that no file changed while another was read. Begins anew, a bounded
 * number of times, when the writer was quicker. Files that the caller does not get are overwritten in memory.
 *
 * Never throws for the state of the volume: whatever keeps it from being read is a finding.
 */
export async function readVolume(request: VolumeRequest): Promise<VolumeRead> {
  return await gate(() => look(request));
}

async function look(request: VolumeRequest): Promise<VolumeRead> {
  const names = namesOf(request);
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const layout = await findLayout(request.directory, names);
    if (layout.kind === "failed") {
      if (layout.code === "ESTALE") continue;
      return unreadable(undefined, [await explainDirectory(request.directory, layout.code)]);
    }
    const reads = await readLayout(layout, request, attempt >= contentAttempt);
    if (reads !== undefined) return await judge(request, names, { layout, reads });
  }
  return unreadable(undefined, [explainRestlessness(request.directory, mostAttempts)]);
}

/** Undefined where the writer changed something in between. */
async function readLayout(
  layout: Layout,
  request: VolumeRequest,
  isContent: boolean,
): Promise<readonly FileRead[] | undefined> {
  const files = await openFiles(layout.places.map((place) => place.path));
  // The old generation is removed after the swap: if there was none yet, then what is open is whole, and what is
  // absent was never there. From here on removing it does no harm. After a swap, files that are all open are whole, too.
  const isWhole = isAtomic(layout) && files.every((file) => file.kind === "open");
  if (!(await isCurrent(request.directory, layout)) && !(isContent && isWhole)) {
    await closeFiles(files);
    return undefined;
  }
  const reads = await readFiles(files, request.maxFileSizeBytes);
  // ESTALE is a network filesystem's word for a file that was replaced.
  const isStale = reads.some((read) => failsWith(read, "ESTALE"));
  if (!isStale && (isAtomic(layout) || (await isUntouched(request.directory, layout, reads)))) return reads;
  overwrite(reads);
  return undefined;
}

async function isCurrent(directory: string, layout: Layout): Promise<boolean> {
  const mark = await readMark(directory);
  return mark.kind === "mark" && mark.text === layout.mark;
}

/** Files written in place or replaced one by one: true where each is still what was read. */
async function isUntouched(directory: string, layout: Layout, reads: readonly FileRead[]): Promise<boolean> {
  const identities = await Promise.all(layout.places.map((place) => identify(place.path)));
  const isChanged = (read: FileRead, index: number): boolean =>
    read.kind === "content"
      ? read.identity !== identities[index]
      : failsWith(read, "ENOENT") && identities[index] !== undefined;
  if (reads.some(isChanged)) return false;
  return await isCurrent(directory, layout);
}

function failsWith(read: FileRead, code: string): boolean {
  return read.kind === "failed" && read.failure.reason === "system-error" && read.failure.code === code;
}

async function judge(
  request: VolumeRequest,
  names: readonly string[],
  { layout, reads }: Attempt,
): Promise<VolumeRead> {
  const required = new Set([request.certificateFile, request.keyFile]);
  const reasons: Finding[] = [];
  const warnings: Finding[] = [];
  for (const [index, name] of names.entries()) {
    const place = layout.places[index];
    const read = reads[index];
    if (place === undefined || read === undefined) continue;
    const isRequired = required.has(name);
    const finding = await explainFile(request, place, read, isRequired);
    if (finding === undefined) continue;
    if (isRequired) reasons.push(finding);
    else warnings.push({ ...finding, severity: "warn" });
  }
  if (reasons.length > 0) {
    overwrite(reads);
    return unreadable(layout, [...((await explainNothing(request.directory, reasons)) ?? reasons), ...warnings]);
  }

  const contents = new Map(names.map((name, index) => [name, contentOf(layout, reads, index)]));
  const contentHash = hash(contents);
  const certificate = contents.get(request.certificateFile) ?? Buffer.alloc(0);
  const key = request.keyFile === undefined ? undefined : contents.get(request.keyFile);
  const ca = request.caFile === undefined ? undefined : contents.get(request.caFile);
  overwrite(reads.filter((read) => read.kind === "content" && ![certificate, key, ca].includes(read.bytes)));
  return {
    kind: "read",
    source: sourceOf(layout, contentHash),
    certificate,
    key: key === certificate ? copyOf(certificate) : key,
    ca: ca === certificate || ca === key ? ca && copyOf(ca) : ca,
    findings: warnings,
  };
}

function namesOf(request: VolumeRequest): readonly string[] {
  const names = [request.certificateFile, request.keyFile, request.caFile];
  return [...new Set(names.filter((name) => name !== undefined))];
}

function contentOf(layout: Layout, reads: readonly FileRead[], index: number): Buffer | undefined {
  const read = reads[index];
  return read?.kind === "content" && layout.places[index]?.kind !== "unlinked" ? read.bytes : undefined;
}

/** Over name, length and bytes of each file in the order asked for, so that no two volumes share a hash by chance. */
function hash(contents: ReadonlyMap<string, Buffer | undefined>): string {
  const digest = createHash("sha256");
  for (const [name, bytes] of contents) {
    digest.update(`${name.length}:${name}:${bytes?.length ?? "absent"}:`);
    if (bytes !== undefined) digest.update(bytes);
  }
  return digest.digest("hex");
}

/** Not from the shared pool, as `Buffer.from` would be. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.alloc(bytes.length);
  bytes.copy(copy);
  return copy;
}

function isAtomic(layout: Layout | undefined): boolean {
  return layout?.generation !== undefined && layout.places.every((place) => place.kind !== "plain");
}

function sourceOf(layout: Layout | undefined, contentHash: string): VolumeSource {
  return { generation: layout?.generation ?? "-", isAtomic: isAtomic(layout), contentHash };
}

function unreadable(layout: Layout | undefined, findings: readonly Finding[]): VolumeRead {
  return { kind: "unreadable", source: sourceOf(layout, ""), findings };
}
