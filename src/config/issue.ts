/** One thing that is wrong with the configuration. */
export interface Issue {
  /** Where the value stands: a flag, an environment variable or a path into the file. */
  readonly path: string;
  /** What was found, lower case, no full stop. */
  readonly message: string;
  readonly hint: string;
}
