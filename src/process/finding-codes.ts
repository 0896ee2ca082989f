import type { Finding } from "../core/finding.ts";

/** Every finding against a process: `hold` may pass by itself, `refuse` needs a hand, `warn` only tells. */
export const processFindingCodes = {
  "no-process": ["hold", "no process is the server: it isn't started yet, or has ended"],
  "process-changed": ["hold", "the server ended, or was started anew, while it was looked at"],
  "ambiguous-process": ["refuse", "several processes could be the server"],
  "process-namespace-not-shared": ["refuse", "only the agent's own processes are visible"],
  "pid-file-unusable": ["refuse", "the pid file doesn't name the server's process"],
  "wrapper-only": ["refuse", "only a shell or a small init program matches, not the server"],
  "not-permitted": ["refuse", "the agent's user may not signal the server"],
  "signal-not-handled": ["refuse", "the server has no handler, and the signal would end it"],
  "signal-ignored": ["refuse", "the server ignores the signal"],
  "signal-handler-unknown": [
    "warn",
    "whether the program handles the signal can't be seen: its runtime catches all, or the kernel doesn't tell",
  ],
  "signal-not-a-reload": ["warn", "this server takes the signal for something else than a reload"],
} as const;

/** Every code that a finding against a process can have. Stable under SemVer. */
export type ProcessFindingCode = keyof typeof processFindingCodes;

/** Makes a finding with the severity of its code. */
export function processFinding(code: ProcessFindingCode, message: string, hint: string): Finding {
  return { code, severity: processFindingCodes[code][0], message, hint };
}
