/**
 * Refused is what a server could not use, what the configuration asked not to have, and what would be worse than the
 * certificate that is served. Everything else is told and let through: refusing a renewal without need ends in the
 * outage that it should prevent.
 */
import type { Finding, Severity } from "../core/finding.ts";

/** The codes with severity and meaning, in the order of the documentation. */
export const keypairFindingCodes = {
  "certificate-file-empty": ["refuse", "the certificate file is empty: usually the issuer isn't ready yet"],
  "key-file-empty": ["refuse", "the key file is empty: usually the issuer isn't ready yet"],
  "not-pem": ["refuse", "a file is DER, PKCS#12, a Java keystore, UTF-16 or something else that is not PEM"],
  "no-certificate": ["refuse", "the certificate file has no certificate in it, perhaps only a key"],
  "no-private-key": ["refuse", "the key file has no private key in it, perhaps only certificates"],
  "pem-glued-blocks": ["refuse", "two PEM blocks share a line: the line break between them is missing"],
  "pem-truncated": ["refuse", "a PEM block has no end line: the file was cut off or is still being written"],
  "pem-unclosed-block": ["refuse", "a PEM block begins before the one before it has ended"],
  "pem-end-mismatch": ["refuse", "a PEM block ends under another label than it began with"],
  "pem-one-line-block": ["refuse", "a PEM block is missing the line breaks around its begin or end line"],
  "pem-blank-line": ["refuse", "a blank line within a PEM block makes everything before it a header"],
  "pem-bad-base64": ["refuse", "a PEM block holds something that is not base64"],
  "rejected-by-openssl": ["refuse", "OpenSSL, and so most servers, can't load the file, for the reason given"],
  "pem-block-skipped": [
    "warn",
    "a `BEGIN` line doesn't stand at the start of its line, so that servers skip the block",
  ],
  "pem-other-block": ["warn", "a PEM block is neither certificate nor key nor parameters; servers skip it"],
  "pem-byte-order-mark": ["warn", "a file starts with a byte order mark, which some servers don't accept"],
  "pem-windows-line-ends": ["warn", "lines end in CR LF, which some servers don't accept"],
  "pem-no-final-newline": ["warn", "the last line has no line break: joined to another file it would glue two blocks"],
  "certificate-unreadable": ["refuse", "the PEM block of a certificate holds no certificate that OpenSSL can read"],
  "certificate-dates-unreadable": ["refuse", "the dates of the leaf can't be read"],
  "too-many-certificates": [
    "refuse",
    "the certificate file holds more certificates than clients accept in a handshake",
  ],
  "key-unreadable": ["refuse", "the PEM block of the key holds no private key that OpenSSL can read"],
  "key-encrypted": ["refuse", "the key is encrypted and no passphrase was given"],
  "key-passphrase-wrong": ["refuse", "the passphrase doesn't decrypt the key"],
  "several-keys": ["warn", "a file holds more than one private key; servers take the first"],
  "key-in-certificate-file": ["warn", "the certificate file holds a private key beside the certificate"],
  "key-not-checked": ["warn", "certificate-only mode: whether the key belongs to the leaf was not checked"],
  "ca-file-unusable": ["warn", "the CA file is there but no certificate in it can be read, so trust was not checked"],
  "key-mismatch": ["refuse", "the private key belongs to no certificate of the file"],
  "leaf-not-first": ["refuse", "the leaf is not the first certificate of the file; servers take the first"],
  expired: ["refuse", "the leaf has ended; a warning under `--allow-expired`"],
  "not-yet-valid": ["refuse", "the leaf begins later than the allowed clock skew"],
  "held-until-valid": ["hold", "the leaf begins within the allowed clock skew: taken up at that moment"],
  "too-little-validity": ["refuse", "the leaf ends sooner than `--min-validity` asks for"],
  "chain-expired": ["warn", "a certificate of the chain above the leaf has ended; clients that use it reject the leaf"],
  "chain-not-yet-valid": ["warn", "a certificate of the chain above the leaf isn't valid yet"],
  "chain-ends-before-leaf": ["warn", "a certificate of the chain ends before the leaf does"],
  "chain-order": ["warn", "the chain is not in order: each certificate should be followed by its issuer"],
  "chain-duplicate": ["warn", "a certificate is in the chain more than once"],
  "chain-root-included": ["warn", "the self-signed root is part of the chain; clients have it or don't trust it"],
  "chain-unrelated": ["warn", "a certificate beside the leaf issued nothing in the chain"],
  "chain-incomplete": ["warn", "the issuer of the leaf seems to be an intermediate that is missing from the file"],
  untrusted: ["warn", "the leaf doesn't verify against the CA file; refused under `--require-trust`"],
  "trust-not-checked": ["warn", "`--require-trust` is set but there is no usable CA file; refused"],
  "name-not-covered": ["refuse", "a name of `--require-name` is not among the names of the leaf"],
  "no-names": ["warn", "the leaf has no subject alternative names; today's clients don't read the common name"],
  "public-key-unreadable": ["refuse", "OpenSSL can't use the public key of a certificate; servers refuse to load it"],
  "weak-key": ["refuse", "a key is below 112 bits of security (RSA 2048, EC 224); a warning under `--allow-weak`"],
  "rare-curve": ["warn", "the key of the leaf is on a curve that most clients don't offer"],
  "weak-digest": ["refuse", "a signature uses MD5 or SHA-1; a warning under `--allow-weak`"],
  "no-server-auth": ["warn", "the extended key usages of the leaf don't include serverAuth; most clients reject it"],
  "leaf-is-authority": [
    "warn",
    "the leaf is a certificate authority; some clients reject it as a server's certificate",
  ],
  rollback: ["warn", "the leaf was issued before the one that is served"],
  "ends-before-served": ["warn", "the leaf ends before the one that is served"],
  "key-type-changed": [
    "warn",
    "the key is of another type than the one that is served; clients may be limited to that",
  ],
  "temporary-self-signed": [
    "refuse",
    "a self-signed leaf would replace a valid one from an authority; see `--allow-expired`",
  ],
  "rehearsal-refused": ["refuse", "no client could connect: the rehearsal handshake fails under TLS 1.2 and TLS 1.3"],
  "rehearsal-tls12": ["warn", "clients limited to TLS 1.2 could not connect: the rehearsal handshake fails there"],
  "rehearsal-tls13": ["warn", "clients that insist on TLS 1.3 could not connect: the rehearsal handshake fails there"],
  "rehearsal-untrusted": [
    "warn",
    "a client that trusts the CA file rejects the chain; refused under `--require-trust`",
  ],
  "rehearsal-name": ["refuse", "a client that asks for a required name rejects the leaf"],
} as const;

/** Every code that a finding against a keypair can have. Stable under SemVer. */
export type KeypairFindingCode = keyof typeof keypairFindingCodes;

/** A finding with the severity of its code, unless another one is given. */
export function createFinding(
  code: KeypairFindingCode,
  message: string,
  more: { hint?: string | undefined; severity?: Severity | undefined } = {},
): Finding {
  const finding = { code, severity: more.severity ?? keypairFindingCodes[code][0], message };
  return more.hint === undefined ? finding : { ...finding, hint: more.hint };
}
