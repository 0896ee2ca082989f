import { toOneLine } from "../certificate/facts.ts";
import { parseSubjectAltName } from "../certificate/names.ts";
import { coversName } from "../certificate/server-name.ts";
import { leadsToAnchor } from "../certificate/trust-path.ts";
import type { Finding } from "../core/finding.ts";
import { quoteForeign } from "../system/escape.ts";
import { isOwner } from "./choose-leaf.ts";
import { createFinding } from "./finding-codes.ts";
import type { Keypair } from "./keypair.ts";
import type { KeypairPolicy } from "./keypair-policy.ts";

const serverAuth = "1.3.6.1.5.5.7.3.1";
const anyExtendedKeyUsage = "2.5.29.37.0";
const mostNamesShown = 10;

/** Judges whether key and leaf belong together and whether the leaf is what a server takes. */
export function judgeOwnership({ leaf, chain, privateKey }: Keypair): readonly Finding[] {
  if (privateKey !== undefined && !isOwner(leaf, privateKey)) {
    const message = `the private key (${privateKey.asymmetricKeyType ?? "unknown type"}) belongs to no certificate of the file`;
    const hint = "certificate and key are from different renewals or were mixed up; issue the pair anew";
    return [createFinding("key-mismatch", message, { hint })];
  }
  const place = chain.findIndex(({ fingerprint256 }) => fingerprint256 === leaf.fingerprint256) + 1;
  if (place > 1) {
    const reason = privateKey === undefined ? "the first one is an authority" : "the key belongs to it";
    const message = `the leaf ${quoteForeign(toOneLine(leaf.subject))} is certificate ${place} of the file (${reason})`;
    return [createFinding("leaf-not-first", message, { hint: "write the leaf first, then its issuers upwards" })];
  }
  return [];
}

/** Judges for which names and which use the leaf was issued. */
export function judgeNames({ leaf }: Keypair, policy: KeypairPolicy): readonly Finding[] {
  const findings: Finding[] = [];
  const names = parseSubjectAltName(leaf.subjectAltName);
  const shown = names.length === 0 ? "none" : names.slice(0, mostNamesShown).map(quoteForeign).join(", ");
  const more = names.length > mostNamesShown ? ` and ${names.length - mostNamesShown} more` : "";
  for (const wanted of policy.requireNames.filter((name) => !coversName(names, name))) {
    const message = `the leaf does not cover ${quoteForeign(wanted)}; its names are ${shown}${more}`;
    const hint = "add the name to the certificate request, or correct --require-name";
    findings.push(createFinding("name-not-covered", message, { hint }));
  }
  if (names.length === 0) {
    const hint = "issue it with dnsNames or ipAddresses";
    findings.push(createFinding("no-names", "the leaf has no subject alternative names", { hint }));
  }
  const usages = leaf.keyUsage;
  if (usages !== undefined && usages.length > 0 && !usages.some((usage) => isServerUsage(usage))) {
    const message = `the extended key usages of the leaf are ${usages.join(", ")}, without serverAuth (${serverAuth})`;
    findings.push(createFinding("no-server-auth", message, { hint: 'issue it with the usage "server auth"' }));
  }
  if (leaf.ca) {
    findings.push(
      createFinding("leaf-is-authority", "the leaf is a certificate authority (basic constraints CA:TRUE)"),
    );
  }
  return findings;
}

/** Judges whether signatures lead from the leaf to the CA file. */
export function judgeTrust({ leaf, chain, authorities }: Keypair, policy: KeypairPolicy): readonly Finding[] {
  const severity = policy.requireTrust ? "refuse" : "warn";
  if (authorities.length === 0) {
    const message = "trust is required, but there is no usable CA file to check it against";
    const hint = "give a CA file with --ca-file, or leave --require-trust out";
    return policy.requireTrust ? [createFinding("trust-not-checked", message, { hint, severity })] : [];
  }
  if (leadsToAnchor(leaf, chain, authorities)) {
    return [];
  }
  const issuer = quoteForeign(toOneLine(leaf.issuer));
  const message = `the leaf, issued by ${issuer}, does not verify against the CA file through the chain`;
  const hint =
    "the authority may have changed: look whether CA file and leaf are of the same issuance, or an intermediate is missing";
  return [createFinding("untrusted", message, { hint, severity })];
}

function isServerUsage(usage: string): boolean {
  return usage === serverAuth || usage === anyExtendedKeyUsage;
}
