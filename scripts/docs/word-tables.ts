import { exitStatus } from "../../cmd/exit-status.ts";
import type { Announcement } from "../../src/core/announcement.ts";
import type { RotationCause, RotationOutcome, Verdict, Work } from "../../src/core/state.ts";
import { code, table } from "./markdown.ts";

// Closed lists that only the compiler knows. Each has a type that names all its members, so that one that is missing
// here, or is here and nowhere else, is an error of the types.

export const exitStatusMeanings: Readonly<Record<keyof typeof exitStatus, string>> = {
  good: "all is well; for `run`: it was told to stop, and did",
  problem: "a problem was found (`check`, `probe`, `health`), or the run failed",
  usage: "the command line, the environment or the file is wrong; everything that is wrong was told",
  fault: "a fault in the program; please report it",
};

export const verdictMeanings: Readonly<Record<Verdict, string>> = {
  match: "the certificate in the volume, with its whole chain",
  stale: "another one of ours: it was in the volume before, or has the same issuer and names",
  foreign: "a certificate that was never in the volume and doesn't look like one that was",
  expired: "a certificate that has ended, whichever it is",
  valid: "a certificate that has not ended, where there is none to compare it with (`--watch-only`)",
  unreachable: "no certificate was seen; the reason is one of those below",
};

export const causeMeanings: Readonly<Record<RotationCause, string>> = {
  renewal: "the volume changed",
  start: "when the agent started, the server served something else than the volume holds",
  drift: "a server that had served the pair was seen with another one, without any change of the volume",
};

export const rotationOutcomeMeanings: Readonly<Record<RotationOutcome, string>> = {
  confirmed: "handshakes showed the pair as often as `--confirm` asks",
  unverified: "a reload was accepted and nothing was probed (`--endpoint none`)",
  superseded: "newer content came before the end",
  refused: "the pair was not good enough to be loaded",
};

export const workMeanings: Readonly<Record<Work["kind"], string>> = {
  idle: "nothing is owed; the watchdog probes every `--verify-interval`",
  reloading: "the server is being told",
  verifying: "the server was told; handshakes look for the new pair",
  "backing-off": "waits before the next try",
};

export const eventMeanings: Readonly<Record<Announcement["event"], string>> = {
  "keypair-accepted": "a new pair was read, and is good",
  "keypair-held": "a new pair is good but begins later; it is taken up then",
  "keypair-refused": "a new pair must not be loaded; the findings say why",
  "volume-missing": "there is nothing to read in the volume; the findings say why",
  "rotation-begun": "the pair in the volume is on its way to the server",
  "rotation-ended": "the way has ended, with an outcome",
  "reload-settled": "the server was told, or could not be told",
  "reload-scheduled": "there will be another try, and when",
  "flip-flop": "the volume goes back and forth between two pairs: two writers own one Secret",
  "endpoint-probed": "one handshake, at level debug",
  "verdict-changed": "an endpoint serves something else than at the last handshake",
  confirmed: "the pair in the volume is served",
  "turned-stale": "the pair in the volume has not been served for longer than `--stale-grace`",
};

/** What the agent itself logs, beside what happens to a target. */
export const agentEventMeanings: Readonly<Record<string, string>> = {
  started: "the agent listens; its version and address",
  unverified: "a target has no endpoint: readiness rests on the reload's word alone",
  "watch-mode": "how changes of a volume are noticed: by events, or by the poll alone",
  "watch-missed": "the poll found a change that the watch had not told of",
  "preflight-finding": "something would stop the next reload, or hide the next renewal",
  "preflight-cleared": "that has gone",
  "signal-ignored": "somebody sent SIGHUP to the agent, which has nothing to reload",
  stopping: "the agent ends, because a signal asked for it or by `--reload exit`; there are no more reloads",
  fault: "a fault in the program; please report it",
};

export function renderWords(head: string, meanings: Readonly<Record<string, string>>): string {
  return table(
    [head, "meaning"],
    Object.entries(meanings).map(([word, meaning]) => [code(word), meaning]),
  );
}

export function renderExitStatuses(): string {
  const names = Object.keys(exitStatusMeanings) as (keyof typeof exitStatus)[];
  return table(
    ["status", "meaning"],
    names.map((name) => [code(String(exitStatus[name])), exitStatusMeanings[name]]),
  );
}
