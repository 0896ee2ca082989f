import type { Finding } from "../core/finding.ts";
import type { Clock } from "../system/clock.ts";
import { quoteForeign } from "../system/escape.ts";
import { createFinding } from "./finding-codes.ts";
import type { Keypair } from "./keypair.ts";
import { type ClientVerdict, rehearseHandshake } from "./rehearsal-handshake.ts";

/** What the rehearsal's client asks for. */
export interface RehearsalOptions {
  readonly clock: Clock;
  /** DNS names and IP addresses that a client connects to; wildcards among them are passed over. */
  readonly requireNames?: readonly string[] | undefined;
  /** Refuse rather than warn what a client that trusts the CA file rejects. */
  readonly requireTrust?: boolean | undefined;
  /** Rehearse at OpenSSL's security level 0, for servers that run there. */
  readonly allowWeak?: boolean | undefined;
  /** What validation found: the rehearsal doesn't say it again. */
  readonly known?: readonly Finding[] | undefined;
}

/** The findings of validation that say the same as an error of the client (OpenSSL manual, X509_STORE_CTX_get_error). */
const saidElsewhere: Readonly<Record<string, readonly string[]>> = {
  CERT_HAS_EXPIRED: ["expired", "chain-expired"],
  CERT_NOT_YET_VALID: ["held-until-valid", "not-yet-valid", "chain-not-yet-valid"],
  UNSPECIFIED: ["weak-digest", "weak-key"],
  INVALID_PURPOSE: ["no-server-auth"],
  UNABLE_TO_GET_ISSUER_CERT: ["untrusted"],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ["untrusted"],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["untrusted"],
  CERT_SIGNATURE_FAILURE: ["untrusted"],
  SELF_SIGNED_CERT_IN_CHAIN: ["untrusted"],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["untrusted"],
};

const trustErrorTexts: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "a certificate of the chain has ended",
  CERT_NOT_YET_VALID: "a certificate of the chain is not valid yet",
  INVALID_PURPOSE: "the usages of the leaf or of an issuer don't allow a server",
  INVALID_CA: "an issuer in the chain is no certificate authority",
  PATH_LENGTH_EXCEEDED: "the chain is longer than an issuer allows",
  CERT_SIGNATURE_FAILURE: "a signature in the chain is wrong",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "an issuer is neither in the chain nor in the CA file",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the issuer of the leaf is neither in the chain nor in the CA file",
  SELF_SIGNED_CERT_IN_CHAIN: "the root of the chain is not in the CA file",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the leaf is self-signed and not in the CA file",
  UNSPECIFIED: "a key or digest is too weak, or an extension is not understood",
};

/**
 * Does a handshake in memory under TLS 1.2 and one under TLS 1.3, the pair as the server's and a client that trusts the
 * CA file where there is one. Finds what reading can't: keys and digests that a server or a client won't use, usages
 * that rule out a version, chains and names that a client rejects. Empty in certificate-only mode. Never throws for
 * anything that the pair causes.
 */
export async function rehearse(keypair: Keypair, options: RehearsalOptions): Promise<readonly Finding[]> {
  const { privateKey } = keypair;
  if (privateKey === undefined) {
    return [];
  }
  const names = (options.requireNames ?? []).filter((name) => !name.startsWith("*."));
  const request = { ...keypair, privateKey, names, allowWeak: options.allowWeak === true };
  const tls13 = await rehearseHandshake(request, "TLSv1.3", options.clock);
  const tls12 = await rehearseHandshake(request, "TLSv1.2", options.clock);
  const verdict = tls13.kind === "connected" ? tls13 : tls12;
  return [...judgeVersions(tls12, tls13), ...(verdict.kind === "connected" ? judgeClient(verdict, options) : [])];
}

function judgeVersions(tls12: ClientVerdict, tls13: ClientVerdict): readonly Finding[] {
  if (tls12.kind === "failed" && tls13.kind === "failed") {
    const message = `no handshake succeeds with the pair: ${tls13.detail} (TLS 1.3), ${tls12.detail} (TLS 1.2)`;
    return [createFinding("rehearsal-refused", message, { hint: "issue the pair with a key and digest of today" })];
  }
  if (tls12.kind === "failed") {
    return [createFinding("rehearsal-tls12", `clients limited to TLS 1.2 could not connect: ${tls12.detail}`)];
  }
  if (tls13.kind === "failed") {
    return [createFinding("rehearsal-tls13", `clients that insist on TLS 1.3 could not connect: ${tls13.detail}`)];
  }
  return [];
}

function judgeClient(
  verdict: Extract<ClientVerdict, { kind: "connected" }>,
  options: RehearsalOptions,
): readonly Finding[] {
  const known = new Set(options.known?.map(({ code }) => code));
  const findings: Finding[] = [];
  const { trustError } = verdict;
  if (trustError !== undefined && !(saidElsewhere[trustError] ?? []).some((code) => known.has(code))) {
    const message = `a client that trusts the CA file rejects the chain: ${trustErrorTexts[trustError] ?? "OpenSSL says"} (${trustError})`;
    const severity = options.requireTrust === true ? "refuse" : "warn";
    findings.push(createFinding("rehearsal-untrusted", message, { severity }));
  }
  if (!known.has("name-not-covered")) {
    for (const name of verdict.rejectedNames) {
      findings.push(createFinding("rehearsal-name", `a client that asks for ${quoteForeign(name)} rejects the leaf`));
    }
  }
  return findings;
}
