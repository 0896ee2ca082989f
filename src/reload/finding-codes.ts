import type { Finding } from "../core/finding.ts";

/** Every finding of a strategy that isn't one against a process. */
export const reloadFindingCodes = {
  "command-not-started": ["refuse", "the command isn't there, or may not be run"],
  "credentials-unusable": ["refuse", "the file with the credentials can't be used"],
  "certificate-not-trusted": ["refuse", "the CA file for the reload endpoint can't be used"],
  "credentials-in-clear": ["warn", "credentials would travel unencrypted to another machine"],
  "restart-too-soon": ["hold", "the server was restarted a short time ago"],
  "restart-in-progress": ["hold", "the server is being restarted already"],
  "subpath-mount": ["refuse", "a restart under a subPath mount may leave the server unable to start"],
  "no-master": ["warn", "nginx runs as one process, so that its reload can't be watched"],
} as const;

/** Every code that a finding of a strategy can have, beside those against a process. Stable under SemVer. */
export type ReloadFindingCode = keyof typeof reloadFindingCodes;

/** Makes a finding with the severity of its code. */
export function reloadFinding(code: ReloadFindingCode, message: string, hint: string): Finding {
  return { code, severity: reloadFindingCodes[code][0], message, hint };
}
