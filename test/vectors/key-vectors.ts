import type { Vector, VectorFiles, VectorKit } from "./vector.ts";

type Make = (kit: VectorKit) => VectorFiles | Promise<VectorFiles>;

function accepted(name: string, make: Make, codes: readonly string[] = []): Vector {
  return { name, make, verdict: "accepted", codes };
}

function refused(name: string, make: Make, codes: readonly string[]): Vector {
  return { name, make, verdict: "refused", codes };
}

/** The good pair with another form of its key. */
function keyForm(change: (key: string, kit: VectorKit) => string | Buffer, passphrase?: string): Make {
  return (kit) => ({
    certificate: kit.chain.leaf + kit.chain.intermediate,
    key: change(kit.chain.key, kit),
    ca: kit.chain.ca,
    ...(passphrase === undefined ? {} : { passphrase }),
  });
}

/** A self-signed pair over a key that openssl makes. */
function keyKind(algorithm: string, ...options: readonly string[]): Make {
  return ({ openssl, selfSign }) => {
    const key = openssl(["genpkey", "-algorithm", algorithm, ...options.flatMap((option) => ["-pkeyopt", option])]);
    return { certificate: selfSign(key), key };
  };
}

function ec(curve: string, ...options: readonly string[]): Make {
  return keyKind("EC", `ec_paramgen_curve:${curve}`, ...options);
}

const traditional = ["-traditional"];

/** The key file: forms, kinds, encryption, and pairs that don't belong together. */
export const keyVectors: readonly Vector[] = [
  accepted(
    "key-sec1",
    keyForm((key, { openssl }) => openssl(["ec"], key)),
  ),
  accepted(
    "key-sec1-with-parameters",
    keyForm((key, { openssl }) => Buffer.concat([openssl(["ecparam", "-name", "prime256v1"]), openssl(["ec"], key)])),
  ),
  accepted("key-pkcs1", ({ openssl, selfSign }) => {
    const key = openssl(["genrsa", "-traditional", "2048"]);
    return { certificate: selfSign(key), key };
  }),
  accepted("key-rsa-2048", keyKind("RSA", "rsa_keygen_bits:2048")),
  accepted("key-rsa-3072", keyKind("RSA", "rsa_keygen_bits:3072")),
  accepted("key-rsa-pss", keyKind("RSA-PSS", "rsa_keygen_bits:2048")),
  accepted("key-p384", ec("secp384r1")),
  accepted("key-p521", ec("secp521r1")),
  accepted("key-ed25519", keyKind("ED25519")),
  accepted("key-ed448", keyKind("ED448")),
  accepted("key-secp256k1", ec("secp256k1"), ["rare-curve"]),
  accepted("key-brainpool", ec("brainpoolP256r1"), ["rare-curve"]),
  accepted("key-p256-explicit", ec("prime256v1", "ec_param_enc:explicit")),
  refused("key-rsa-1024", keyKind("RSA", "rsa_keygen_bits:1024"), ["weak-key"]),
  refused("key-p192", ec("prime192v1"), ["rare-curve", "weak-key"]),
  accepted(
    "key-crlf",
    keyForm((key) => key.replaceAll("\n", "\r\n")),
    ["pem-windows-line-ends"],
  ),
  accepted(
    "key-byte-order-mark",
    keyForm((key) => `\ufeff${key}`),
    ["pem-byte-order-mark"],
  ),
  accepted(
    "key-no-final-newline",
    keyForm((key) => key.trimEnd()),
    ["pem-no-final-newline"],
  ),
  accepted(
    "key-text-around",
    keyForm((key) => `Private-Key: (256 bit)\npriv:\n    00:11\n${key}the end\n`),
  ),
  accepted(
    "key-after-certificate",
    keyForm((key, { chain }) => chain.leaf + key),
  ),
  accepted(
    "key-before-certificate",
    keyForm((key, { chain }) => key + chain.leaf),
  ),
  accepted(
    "key-twice",
    keyForm((key) => key + key),
    ["several-keys"],
  ),
  refused(
    "key-second-is-right",
    keyForm((key, { openssl }) => openssl(["genpkey", "-algorithm", "ed25519"]).toString() + key),
    ["key-mismatch", "several-keys"],
  ),
  accepted(
    "key-pkcs8-encrypted",
    keyForm(
      (key, { openssl }) => openssl(["pkcs8", "-topk8", "-passout", "pass:correct horse"], key),
      "correct horse\n",
    ),
  ),
  accepted("key-pkcs1-encrypted", ({ openssl, selfSign }) => {
    const key = openssl(["genrsa", "2048"]);
    const sealed = openssl(["rsa", ...traditional, "-aes128", "-passout", "pass:correct horse"], key);
    return { certificate: selfSign(key), key: sealed, passphrase: "correct horse" };
  }),
  accepted(
    "key-sec1-encrypted",
    keyForm(
      (key, { openssl }) => openssl(["ec", "-aes256", "-passout", "pass:correct horse"], key),
      "correct horse\r\n",
    ),
  ),
  refused(
    "key-encrypted-no-passphrase",
    keyForm((key, { openssl }) => openssl(["pkcs8", "-topk8", "-passout", "pass:correct horse"], key)),
    ["key-encrypted"],
  ),
  refused(
    "key-sec1-encrypted-no-passphrase",
    keyForm((key, { openssl }) => openssl(["ec", "-aes256", "-passout", "pass:correct horse"], key)),
    ["key-encrypted"],
  ),
  refused(
    "key-passphrase-wrong",
    keyForm(
      (key, { openssl }) => openssl(["pkcs8", "-topk8", "-passout", "pass:correct horse"], key),
      "battery staple",
    ),
    ["key-passphrase-wrong"],
  ),
  accepted(
    "key-passphrase-not-needed",
    keyForm((key) => key, "correct horse"),
  ),
  refused(
    "key-of-other-certificate",
    keyForm((_, { single }) => single.key),
    ["key-mismatch"],
  ),
  refused(
    "key-of-other-type",
    keyForm((_, { openssl }) => openssl(["genrsa", "2048"])),
    ["key-mismatch"],
  ),
  refused(
    "key-empty",
    keyForm(() => ""),
    ["key-file-empty"],
  ),
  refused(
    "key-is-certificate",
    keyForm((_, { chain }) => chain.leaf),
    ["no-private-key"],
  ),
  refused(
    "key-is-public",
    keyForm((key, { openssl }) => openssl(["pkey", "-pubout"], key)),
    ["no-private-key"],
  ),
  refused(
    "key-is-parameters",
    keyForm((_, { openssl }) => openssl(["ecparam", "-name", "prime256v1"])),
    ["no-private-key"],
  ),
  refused(
    "key-der",
    keyForm((key, { openssl }) => openssl(["pkey", "-outform", "der"], key)),
    ["not-pem"],
  ),
  refused(
    "key-openssh",
    keyForm(() => "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----\n"),
    ["no-private-key"],
  ),
  refused(
    "key-truncated",
    keyForm((key) => key.slice(0, 120)),
    ["pem-truncated"],
  ),
  refused(
    "key-bad-base64",
    keyForm((key) => key.replace("MIG", "M*G")),
    ["pem-bad-base64"],
  ),
  refused(
    "key-bad-der",
    keyForm((key) => key.replace("MIG", "MHG")),
    ["key-unreadable"],
  ),
  refused(
    "key-indented",
    keyForm((key) => key.replace(/^/gm, "  ")),
    ["not-pem"],
  ),
  refused(
    "key-one-line",
    keyForm((key) => key.replaceAll("\n", " ")),
    ["pem-one-line-block"],
  ),
  refused("both-empty", () => ({ certificate: "", key: "" }), ["certificate-file-empty", "key-file-empty"]),
];
