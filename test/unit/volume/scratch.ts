import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { VolumeRequest } from "../../../src/volume/volume-request.ts";

/** An empty directory that goes away with the test. */
export async function createScratch(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "certhup-volume-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** The usual three files of `directory`. */
export function requestFor(directory: string, more: Partial<VolumeRequest> = {}): VolumeRequest {
  return {
    directory,
    certificateFile: "tls.crt",
    keyFile: "tls.key",
    caFile: "ca.crt",
    maxFileSizeBytes: 64 * 1024,
    ...more,
  };
}
