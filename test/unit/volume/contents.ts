import { readVolume } from "../../../src/volume/read-volume.ts";
import type { VolumeRequest } from "../../../src/volume/volume-request.ts";

/** What a look brought, in short: the texts of the files, or the codes of the findings. */
export async function contentsOf(request: VolumeRequest): Promise<readonly (string | undefined)[]> {
  const read = await readVolume(request);
  if (read.kind === "unreadable") return read.findings.map((finding) => finding.code);
  return [read.certificate.toString(), read.key?.toString(), read.ca?.toString()];
}

/** The content hash of a look, which is empty where nothing could be read. */
export async function hashOf(request: VolumeRequest): Promise<string> {
  return (await readVolume(request)).source.contentHash;
}
