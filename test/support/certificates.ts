import { createHash, createPrivateKey, createPublicKey, KeyObject, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import "./certificates-metadata.ts";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The keys that an {@link Authority} can make. */
export type IssuedKeyType =
  | "ec-p256"
  | "ec-p384"
  | "ec-p521"
  | "rsa-1024"
  | "rsa-2048"
  | "rsa-3072"
  | "rsa-4096"
  | "ed25519";

const keyAlgorithms: Record<IssuedKeyType, KeyAlgorithm> = {
  "ec-p256": { name: "ECDSA", namedCurve: "P-256" },
  "ec-p384": { name: "ECDSA", namedCurve: "P-384" },
  "ec-p521": { name: "ECDSA", namedCurve: "P-521" },
  "rsa-1024": rsa(1024),
  "rsa-2048": rsa(2048),
  "rsa-3072": rsa(3072),
  "rsa-4096": rsa(4096),
  ed25519: { name: "Ed25519" },
};

/** What to issue; everything but the names has a sensible value when absent. */
export interface IssueOptions {
  /** DNS names and IP addresses for the subject alternative name extension; empty leaves the extension out. */
  readonly names: readonly string[];
  /** EC P-256 when absent. */
  readonly keyType?: IssuedKeyType;
  /** One hour ago when absent. */
  readonly notBefore?: Date;
  /** 90 days after now when absent. */
  readonly notAfter?: Date;
  /** Common name of the subject; the first name when absent. */
  readonly commonName?: string;
  /** How many intermediate authorities stand between the root and the leaf; none when absent. */
  readonly intermediates?: number;
  /** When the intermediates end; in ten years when absent. */
  readonly intermediateNotAfter?: Date;
  /** The leaf signs itself: `caPem` is the leaf then. */
  readonly selfSigned?: boolean;
  /** Extended key usages as object identifiers; serverAuth and clientAuth when absent, no extension when empty. */
  readonly extendedKeyUsages?: readonly string[];
  /** Digest of the signatures over leaf and intermediates; SHA-256 when absent. */
  readonly digest?: "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512";
  /** PKCS#8 PEM of a key to use again (a renewal with the same key); its type must be `keyType`. */
  readonly keyPem?: string;
}

/** One issued pair, ready to be written to files. */
export interface IssuedCertificate {
  /** The leaf, then the intermediates from the leaf's issuer upwards; the root is not in it. */
  readonly certificatePem: string;
  /** PKCS#8. */
  readonly keyPem: string;
  /** The root; the leaf itself when it is self-signed. */
  readonly caPem: string;
  /** SHA-256 of the leaf's DER, lower-case hex. */
  readonly fingerprint: string;
}

/** A certificate authority for tests, examples and the demo. */
export interface Authority {
  /** The root certificate. */
  caPem(): Promise<string>;
  issue(options: IssueOptions): Promise<IssuedCertificate>;
}

type KeyAlgorithm = { name: "Ed25519" } | webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams;

interface Signer {
  readonly subject: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly certificate: X509Certificate;
}

/** Makes an authority with a root of its own that ends in ten years when not told; the work is done when first used. */
export function createAuthority(options: { name?: string; keyType?: IssuedKeyType; notAfter?: Date } = {}): Authority {
  const { name = "certhup test authority", keyType = "ec-p256", notAfter } = options;
  let root: Promise<Signer> | undefined;
  const getRoot = (): Promise<Signer> => {
    root ??= createSigner({ name, keyType, notAfter });
    return root;
  };
  return {
    caPem: async () => toPem((await getRoot()).certificate),
    issue: (wanted) => issueFrom(getRoot, wanted),
  };
}

async function issueFrom(getRoot: () => Promise<Signer>, options: IssueOptions): Promise<IssuedCertificate> {
  const { names, keyType = "ec-p256", commonName = names[0] ?? "no name", intermediates = 0 } = options;
  const notBefore = options.notBefore ?? new Date(Date.now() - hourMs);
  const notAfter = options.notAfter ?? new Date(Date.now() + 90 * dayMs);
  const hash = options.digest ?? "SHA-256";
  const keys = options.keyPem === undefined ? await generateKeys(keyType) : await importKeys(options.keyPem, keyType);
  const subject = toName(commonName);
  const leafParams = {
    subject,
    notBefore,
    notAfter,
    publicKey: keys.publicKey,
    signingAlgorithm: { name: "ECDSA", hash },
    extensions: leafExtensions(options),
  };
  if (options.selfSigned === true) {
    const leaf = await X509CertificateGenerator.create({ ...leafParams, issuer: subject, signingKey: keys.privateKey });
    return describe(leaf, [], keys.privateKey, toPem(leaf));
  }
  const root = await getRoot();
  let issuer = root;
  const between: X509Certificate[] = [];
  for (let level = 1; level <= intermediates; level++) {
    const name = `certhup intermediate ${level}`;
    issuer = await createSigner({ name, issuer, hash, notAfter: options.intermediateNotAfter });
    between.unshift(issuer.certificate);
  }
  const leaf = await X509CertificateGenerator.create({
    ...leafParams,
    extensions: [...leafParams.extensions, await AuthorityKeyIdentifierExtension.create(issuer.keys.publicKey)],
    issuer: issuer.subject,
    signingKey: issuer.keys.privateKey,
  });
  return describe(leaf, between, keys.privateKey, toPem(root.certificate));
}

function describe(
  leaf: X509Certificate,
  between: readonly X509Certificate[],
  privateKey: webcrypto.CryptoKey,
  caPem: string,
): IssuedCertificate {
  return {
    certificatePem: [leaf, ...between].map(toPem).join(""),
    keyPem: KeyObject.from(privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
    caPem,
    fingerprint: createHash("sha256").update(new Uint8Array(leaf.rawData)).digest("hex"),
  };
}

async function createSigner(wanted: {
  name: string;
  keyType?: IssuedKeyType;
  issuer?: Signer;
  hash?: string;
  notAfter?: Date | undefined;
}): Promise<Signer> {
  const { name, keyType = "ec-p256", issuer, hash = "SHA-256" } = wanted;
  const keys = await generateKeys(keyType);
  const subject = toName(name);
  const certificate = await X509CertificateGenerator.create({
    subject,
    issuer: issuer?.subject ?? subject,
    notBefore: new Date(Date.UTC(2020, 0, 1)),
    notAfter: wanted.notAfter ?? new Date(Date.now() + 3650 * dayMs),
    publicKey: keys.publicKey,
    signingKey: issuer?.keys.privateKey ?? keys.privateKey,
    signingAlgorithm: { name: "ECDSA", hash },
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(issuer === undefined ? [] : [await AuthorityKeyIdentifierExtension.create(issuer.keys.publicKey)]),
    ],
  });
  return { subject, keys, certificate };
}

function leafExtensions(options: IssueOptions): Extension[] {
  const usages = options.extendedKeyUsages ?? [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth];
  const names = options.names.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value }));
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
    ...(usages.length === 0 ? [] : [new ExtendedKeyUsageExtension([...usages])]),
    ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
  ];
}

function rsa(modulusLength: number): KeyAlgorithm {
  return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength, publicExponent: new Uint8Array([1, 0, 1]) };
}

async function generateKeys(keyType: IssuedKeyType): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(keyAlgorithms[keyType], true, [
    "sign",
    "verify",
  ])) as webcrypto.CryptoKeyPair;
}

async function importKeys(keyPem: string, keyType: IssuedKeyType): Promise<webcrypto.CryptoKeyPair> {
  const algorithm = keyAlgorithms[keyType];
  const pkcs8 = createPrivateKey(keyPem).export({ type: "pkcs8", format: "der" });
  const spki = createPublicKey(keyPem).export({ type: "spki", format: "der" });
  return {
    privateKey: await webcrypto.subtle.importKey("pkcs8", pkcs8, algorithm, true, ["sign"]),
    publicKey: await webcrypto.subtle.importKey("spki", spki, algorithm, true, ["verify"]),
  };
}

function toName(commonName: string): string {
  return `CN=${commonName.replace(/[,+"\\<>;=#]/g, "\\$&")}`;
}

function toPem(certificate: X509Certificate): string {
  return `${certificate.toString("pem")}\n`;
}
