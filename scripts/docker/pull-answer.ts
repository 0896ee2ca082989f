/** A registry that does not answer may be stood in for; one that refuses has said that something is wrong. */
export type PullAnswer =
  | { readonly kind: "silent"; readonly detail: string }
  | { readonly kind: "refused"; readonly detail: string };

/** The words of registries for "there is no such image", "you may not" and "not so often", as Docker passes them on. */
const refusals = [
  /manifest unknown/i,
  /manifest for \S+ not found/i,
  /: not found$/i,
  /pull access denied/i,
  /\bdenied: /i,
  /\bunauthorized\b/i,
  /toomanyrequests/i,
  /unexpected (?:http )?status\b.*\b4\d\d\b/i,
  /no matching manifest/i,
];

/** Tells from the last lines of a failed `docker pull` whether a registry refused; everything else is silence. */
export function readPullFailure(output: string): PullAnswer {
  const lines = output.split("\n").map((line) => line.trim());
  const refusal = lines.findLast((line) => refusals.some((words) => words.test(line)));
  if (refusal !== undefined) return { kind: "refused", detail: refusal };
  return { kind: "silent", detail: lines.findLast((line) => line !== "") ?? "no answer within the time limit" };
}
