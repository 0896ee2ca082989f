import { findChainProblems } from "../certificate/chain-problems.ts";
import type { Finding } from "../core/finding.ts";
import { createFinding } from "./finding-codes.ts";
import type { Keypair } from "./keypair.ts";

/** Judges which certificates stand beside the leaf, and in which order. */
export function judgeChain({ leaf, chain, authorities }: Keypair, nowMs: number): readonly Finding[] {
  return (
    findChainProblems(leaf, chain, nowMs)
      // Whether a lone leaf's issuer is missing is known where there is a CA file.
      .filter(({ code }) => code !== "chain-incomplete" || authorities.length === 0)
      .map(({ code, message, hint }) => createFinding(code, message, hint === undefined ? {} : { hint }))
  );
}
