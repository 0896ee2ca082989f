import type { Finding } from "../core/finding.ts";

/** Every finding of a strategy that isn't one against a process. */
export const reloadFindingCodes = {
  "command-not-started": { severity: "refuse", meaning: "the command isn't there, or may not be run" },
  "credentials-unusable": { severity: "refuse", meaning: "the file with the credentials can't be used" },
  "certificate-not-trusted": { severity: "refuse", meaning: "the CA file for the reload endpoint can't be used" },
  "credentials-in-clear": { severity: "warn", meaning: "credentials would travel unencrypted to another machine" },
  "restart-too-soon": { severity: "hold", meaning: "the server was restarted a short time ago" },
  "restart-in-progress": { severity: "hold", meaning: "the server is being restarted already" },
  "subpath-mount": {
    severity: "refuse",
    meaning: "a restart under a subPath mount may leave the server unable to start",
  },
  "no-master": { severity: "warn", meaning: "nginx runs as one process, so that its reload can't be watched" },
} as const;

/** Every code that a finding of a strategy can have, beside those against a process. Stable under SemVer. */
export type ReloadFindingCode = keyof typeof reloadFindingCodes;

/** Makes a finding with the severity of its code. */
export function reloadFinding(code: ReloadFindingCode, message: string, hint: string): Finding {
  return { code, severity: reloadFindingCodes[code].severity, message, hint };
}
