/** What the program's exit status says. Stable under SemVer. */
export const exitStatus = {
  good: 0,
  /** A problem was found, or the run failed. */
  problem: 1,
  /** Wrong usage or configuration. */
  usage: 2,
  /** A fault in the program. */
  fault: 70,
} as const;

/** One of the exit statuses; `--reload exit` may end with any other. */
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];
