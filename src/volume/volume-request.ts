/** What to read of a volume. File names are relative to the directory, nested, or absolute. */
export interface VolumeRequest {
  readonly directory: string;
  readonly certificateFile: string;
  /** Undefined for a volume whose key is not to be read. */
  readonly keyFile: string | undefined;
  /** Where there is one to look for; its absence is no finding. */
  readonly caFile: string | undefined;
  /** Of each file. */
  readonly maxFileSizeBytes: number;
}
