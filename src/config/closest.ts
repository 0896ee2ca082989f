import { distance } from "fastest-levenshtein";

/**
 * The candidate that was most likely meant, by edit distance: at most a third of its letters may differ.
 * `undefined` if none is close.
 */
export function findClosest(text: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: distance(text.slice(0, 64), candidate) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, candidate.length / 3))
    .sort((left, right) => left.edits - right.edits);
  return ranked[0]?.candidate;
}
