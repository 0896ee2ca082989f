import type { X509Certificate } from "node:crypto";
import { quoteForeign } from "../system/escape.ts";
import { toOneLine } from "./facts.ts";
import { isSelfSigned, orderByIssuer } from "./issuer-chain.ts";

/** What is wrong with the certificates beside a leaf, in a file or in a handshake. */
export interface ChainProblem {
  readonly code:
    | "chain-duplicate"
    | "chain-unrelated"
    | "chain-order"
    | "chain-root-included"
    | "chain-expired"
    | "chain-not-yet-valid"
    | "chain-ends-before-leaf"
    | "chain-incomplete";
  /** A sentence, lower case, no full stop; foreign text in it is escaped already. */
  readonly message: string;
  readonly hint?: string;
}

/**
 * Judges which certificates stand beside the leaf, and in which order; nobody's trust is asked.
 *
 * @param chain every certificate in the order found, the leaf among them
 * @param nowMs since the epoch
 */
export function findChainProblems(
  leaf: X509Certificate,
  chain: readonly X509Certificate[],
  nowMs: number,
): readonly ChainProblem[] {
  const others = chain.filter((certificate) => certificate !== leaf);
  const ordered = orderByIssuer(leaf, others);
  const last = ordered.at(-1) ?? leaf;
  const hasRoot = ordered.length > 1 && isSelfSigned(last);
  return [
    ...judgeRepeats(chain),
    ...judgeOrder(chain, ordered),
    ...(hasRoot ? [rootIncluded(last)] : []),
    ...judgeUpperDates(leaf, hasRoot ? ordered.slice(1, -1) : ordered.slice(1), nowMs),
    ...(ordered.length === 1 ? judgeLoneLeaf(leaf) : []),
  ];
}

function judgeRepeats(chain: readonly X509Certificate[]): readonly ChainProblem[] {
  const counts = new Map<string, { certificate: X509Certificate; count: number }>();
  for (const certificate of chain) {
    const entry = counts.get(certificate.fingerprint256) ?? { certificate, count: 0 };
    counts.set(certificate.fingerprint256, { ...entry, count: entry.count + 1 });
  }
  return [...counts.values()]
    .filter(({ count }) => count > 1)
    .map(({ certificate, count }) => ({
      code: "chain-duplicate",
      message: `the certificate of ${nameOf(certificate)} is in the chain ${count} times`,
    }));
}

function judgeOrder(chain: readonly X509Certificate[], ordered: readonly X509Certificate[]): readonly ChainProblem[] {
  const related = new Set(ordered.map(({ fingerprint256 }) => fingerprint256));
  const found = [...new Set(chain.map(({ fingerprint256 }) => fingerprint256))];
  const problems: ChainProblem[] = chain
    .filter(({ fingerprint256 }) => !related.has(fingerprint256))
    .map((certificate) => ({
      code: "chain-unrelated",
      message: `the certificate of ${nameOf(certificate)} issued nothing in the chain`,
    }));
  const relatedFound = found.filter((fingerprint) => related.has(fingerprint));
  const isInOrder = ordered.every(({ fingerprint256 }, index) => relatedFound[index] === fingerprint256);
  if (!isInOrder && relatedFound[0] === ordered[0]?.fingerprint256) {
    const right = ordered.map(nameOf).join(", ");
    const hint = "write the leaf first and each certificate's issuer right behind it";
    problems.push({ code: "chain-order", message: `the chain is not in order; right would be ${right}`, hint });
  }
  return problems;
}

function rootIncluded(root: X509Certificate): ChainProblem {
  return { code: "chain-root-included", message: `the chain includes its self-signed root ${nameOf(root)}` };
}

function judgeUpperDates(
  leaf: X509Certificate,
  upper: readonly X509Certificate[],
  nowMs: number,
): readonly ChainProblem[] {
  return upper.flatMap((certificate): readonly ChainProblem[] => {
    const name = nameOf(certificate);
    if (nowMs >= certificate.validToDate.getTime()) {
      const message = `${name} in the chain ended at ${certificate.validToDate.toISOString()}`;
      return [{ code: "chain-expired", message, hint: "renew the intermediate, then the leaf" }];
    }
    if (certificate.validFromDate.getTime() > nowMs) {
      const message = `${name} in the chain is valid only from ${certificate.validFromDate.toISOString()} on`;
      return [{ code: "chain-not-yet-valid", message }];
    }
    if (certificate.validToDate.getTime() < leaf.validToDate.getTime()) {
      const end = certificate.validToDate.toISOString();
      const message = `${name} in the chain ends at ${end}, before the leaf (${leaf.validToDate.toISOString()})`;
      return [{ code: "chain-ends-before-leaf", message }];
    }
    return [];
  });
}

/** Public authorities issue from intermediates and say in the leaf where to fetch them (RFC 5280, 4.2.2.1). */
function judgeLoneLeaf(leaf: X509Certificate): readonly ChainProblem[] {
  if (leaf.infoAccess?.includes("CA Issuers - ") !== true || isSelfSigned(leaf)) {
    return [];
  }
  const message = `the leaf stands alone; its issuer ${quoteForeign(toOneLine(leaf.issuer))} may be an intermediate`;
  return [{ code: "chain-incomplete", message, hint: "put the issuer's full chain into the certificate file" }];
}

function nameOf(certificate: X509Certificate): string {
  return quoteForeign(toOneLine(certificate.subject));
}
