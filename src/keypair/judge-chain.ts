import type { X509Certificate } from "node:crypto";
import { toOneLine } from "../certificate/facts.ts";
import { isSelfSigned, orderByIssuer } from "../certificate/issuer-chain.ts";
import type { Finding } from "../core/finding.ts";
import { quoteForeign } from "../system/escape.ts";
import { createFinding } from "./finding-codes.ts";
import type { Keypair } from "./keypair.ts";

/** Judges which certificates stand beside the leaf, and in which order. */
export function judgeChain(keypair: Keypair, nowMs: number): readonly Finding[] {
  const { leaf, chain } = keypair;
  const others = chain.filter((certificate) => certificate !== leaf);
  const ordered = orderByIssuer(leaf, others);
  const last = ordered.at(-1) ?? leaf;
  const hasRoot = ordered.length > 1 && isSelfSigned(last);
  return [
    ...judgeRepeats(chain),
    ...judgeOrder(chain, ordered),
    ...(hasRoot ? [rootIncluded(last)] : []),
    ...judgeUpperDates(leaf, hasRoot ? ordered.slice(1, -1) : ordered.slice(1), nowMs),
    ...(ordered.length === 1 ? judgeLoneLeaf(keypair) : []),
  ];
}

function judgeRepeats(chain: readonly X509Certificate[]): readonly Finding[] {
  const counts = new Map<string, { certificate: X509Certificate; count: number }>();
  for (const certificate of chain) {
    const entry = counts.get(certificate.fingerprint256) ?? { certificate, count: 0 };
    counts.set(certificate.fingerprint256, { ...entry, count: entry.count + 1 });
  }
  return [...counts.values()]
    .filter(({ count }) => count > 1)
    .map(({ certificate, count }) =>
      createFinding("chain-duplicate", `the certificate of ${nameOf(certificate)} is in the file ${count} times`),
    );
}

function judgeOrder(chain: readonly X509Certificate[], ordered: readonly X509Certificate[]): readonly Finding[] {
  const related = new Set(ordered.map(({ fingerprint256 }) => fingerprint256));
  const inFile = [...new Set(chain.map(({ fingerprint256 }) => fingerprint256))];
  const findings = chain
    .filter(({ fingerprint256 }) => !related.has(fingerprint256))
    .map((certificate) =>
      createFinding("chain-unrelated", `the certificate of ${nameOf(certificate)} issued nothing in the chain`),
    );
  const relatedInFile = inFile.filter((fingerprint) => related.has(fingerprint));
  const isInOrder = ordered.every(({ fingerprint256 }, index) => relatedInFile[index] === fingerprint256);
  if (!isInOrder && relatedInFile[0] === ordered[0]?.fingerprint256) {
    const right = ordered.map(nameOf).join(", ");
    const hint = "write the leaf first and each certificate's issuer right behind it";
    findings.push(createFinding("chain-order", `the chain is not in order; right would be ${right}`, { hint }));
  }
  return findings;
}

function rootIncluded(root: X509Certificate): Finding {
  return createFinding("chain-root-included", `the chain includes its self-signed root ${nameOf(root)}`);
}

function judgeUpperDates(leaf: X509Certificate, upper: readonly X509Certificate[], nowMs: number): readonly Finding[] {
  return upper.flatMap((certificate) => {
    const name = nameOf(certificate);
    if (nowMs >= certificate.validToDate.getTime()) {
      const message = `${name} in the chain ended at ${certificate.validToDate.toISOString()}`;
      return [createFinding("chain-expired", message, { hint: "renew the intermediate, then the leaf" })];
    }
    if (certificate.validFromDate.getTime() > nowMs) {
      const message = `${name} in the chain is valid only from ${certificate.validFromDate.toISOString()} on`;
      return [createFinding("chain-not-yet-valid", message)];
    }
    if (certificate.validToDate.getTime() < leaf.validToDate.getTime()) {
      const end = certificate.validToDate.toISOString();
      const message = `${name} in the chain ends at ${end}, before the leaf (${leaf.validToDate.toISOString()})`;
      return [createFinding("chain-ends-before-leaf", message)];
    }
    return [];
  });
}

/** Public authorities issue from intermediates and say in the leaf where to fetch them (RFC 5280, 4.2.2.1). */
function judgeLoneLeaf({ leaf, authorities }: Keypair): readonly Finding[] {
  const hasIssuerAddress = leaf.infoAccess?.includes("CA Issuers - ") === true;
  if (!hasIssuerAddress || authorities.length > 0 || isSelfSigned(leaf)) {
    return [];
  }
  const message = `the file holds the leaf alone; its issuer ${quoteForeign(toOneLine(leaf.issuer))} may be an intermediate`;
  const hint = "put the issuer's full chain into the certificate file";
  return [createFinding("chain-incomplete", message, { hint })];
}

function nameOf(certificate: X509Certificate): string {
  return quoteForeign(toOneLine(certificate.subject));
}
