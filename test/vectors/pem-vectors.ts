import { inputFile } from "./kit.ts";
import type { Vector, VectorFiles, VectorKit } from "./vector.ts";

/** A change to the certificate file alone, over a good pair with its chain. */
function damaged(
  name: string,
  change: (chain: string, kit: VectorKit) => string | Buffer,
  codes: readonly string[],
  verdict: Vector["verdict"] = codes.length === 0 || isWarning(codes) ? "accepted" : "refused",
): Vector {
  const make = (kit: VectorKit): VectorFiles => ({
    certificate: change(kit.chain.leaf + kit.chain.intermediate, kit),
    key: kit.chain.key,
    ca: kit.chain.ca,
  });
  return { name, make, verdict, codes };
}

function isWarning(codes: readonly string[]): boolean {
  return codes.every((code) =>
    /^(pem-(byte|windows|no-final|other|block-skipped)|untrusted|key-in-certificate-file)/.test(code),
  );
}

const glueAt = "-----END CERTIFICATE----------BEGIN CERTIFICATE-----";

/** The certificate file as text: line ends, markers, base64, and what isn't PEM at all. */
export const pemVectors: readonly Vector[] = [
  damaged("pem-plain", (text) => text, []),
  damaged("pem-glued", (text) => text.replace(/-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----/, glueAt), [
    "pem-glued-blocks",
  ]),
  damaged("pem-crlf", (text) => text.replaceAll("\n", "\r\n"), ["pem-windows-line-ends"]),
  damaged("pem-byte-order-mark", (text) => `\ufeff${text}`, ["pem-byte-order-mark"]),
  damaged("pem-no-final-newline", (text) => text.trimEnd(), ["pem-no-final-newline"]),
  damaged("pem-text-around", (text) => `Certificate:\n    Data: -- ${"x".repeat(400)}\n${text}the end\n`, []),
  damaged("pem-text-between", (text) => text.replaceAll("-----BEGIN", "subject=CN = a\nissuer=CN = b\n-----BEGIN"), []),
  damaged("pem-trailing-spaces", (text) => text.replaceAll("\n", "  \t\n"), []),
  damaged("pem-nul-bytes-after", (text) => `${text}\0\0\0\n`, []),
  damaged("pem-blank-lines-between", (text) => text.replaceAll("-----BEGIN", "\n\n-----BEGIN"), []),
  damaged("pem-long-lines", (text) => text.replace(/(?<=[A-Za-z0-9+/=])\n(?=[A-Za-z0-9+/])/g, ""), []),
  damaged("pem-short-lines", (text) => text.replace(/([A-Za-z0-9+/=]{16})(?=[A-Za-z0-9+/=])/g, "$1\n"), []),
  damaged("pem-spaces-in-base64", (text) => text.replaceAll("MII", "MI I"), []),
  damaged("pem-old-label", (text) => text.replaceAll(" CERTIFICATE", " X509 CERTIFICATE"), []),
  damaged("pem-trusted-label", (text, kit) => trust(text, kit), []),
  damaged("pem-truncated-leaf", (text) => text.slice(0, 300), ["pem-no-final-newline", "pem-truncated"]),
  damaged("pem-truncated-chain", (_, { chain }) => `${chain.leaf}${chain.intermediate.slice(0, 300)}\n`, [
    "pem-truncated",
  ]),
  damaged("pem-truncated-begin", (_, { chain }) => `${chain.leaf}-----BEGIN CERTIFI`, [
    "pem-no-final-newline",
    "pem-truncated",
  ]),
  damaged("pem-truncated-end", (text) => text.slice(0, -6), ["pem-end-mismatch", "pem-no-final-newline"]),
  damaged(
    "pem-new-begin-inside",
    (text) => text.replace(/\n-----END[^\n]*\n/, "\n"),
    ["pem-unclosed-block", "untrusted"],
    "accepted",
  ),
  damaged("pem-bad-base64", (text) => text.replace("MII", "M*I"), ["pem-bad-base64"]),
  damaged("pem-bad-base64-length", (text) => text.replace("MII", "MI"), ["pem-bad-base64"]),
  damaged("pem-padding-inside", (text) => text.replace("MII", "MI="), ["pem-bad-base64"]),
  damaged("pem-end-label", (text) => text.replace("END CERTIFICATE", "END X509 CERTIFICATE"), ["pem-end-mismatch"]),
  damaged("pem-blank-line-inside", (text) => text.replace(/(MII[^\n]*\n)/, "$1\n"), ["pem-blank-line"]),
  damaged("pem-header-inside", (text) => text.replaceAll("CATE-----\nMII", "CATE-----\nX-Note: a\n\nMII"), [
    "certificate-unreadable",
    "certificate-unreadable",
  ]),
  damaged("pem-indented", (text) => text.replace(/^/gm, "    "), ["not-pem"], "refused"),
  damaged("pem-indented-intermediate", (_, { chain }) => chain.leaf + chain.intermediate.replace(/^/gm, "  "), [
    "pem-block-skipped",
    "pem-no-final-newline",
    "untrusted",
  ]),
  damaged("pem-one-line", (text) => text.replaceAll("\n", " "), ["pem-no-final-newline", "pem-one-line-block"]),
  damaged(
    "pem-end-on-base64",
    (text) => text.replace(/\n-----END/, "-----END"),
    ["pem-one-line-block", "untrusted"],
    "accepted",
  ),
  damaged("pem-cr-only", (text) => text.replaceAll("\n", "\r"), ["pem-no-final-newline", "pem-one-line-block"]),
  damaged("pem-escaped-newlines", (text) => text.replaceAll("\n", "\\n"), [
    "pem-no-final-newline",
    "pem-one-line-block",
  ]),
  damaged("pem-base64-twice", (text) => Buffer.from(text).toString("base64"), ["not-pem"]),
  damaged("pem-utf16", (text) => Buffer.from(`\ufeff${text}`, "utf16le"), ["not-pem"]),
  damaged("pem-garbage", () => "not a certificate\n", ["not-pem"]),
  damaged("pem-json", (text) => JSON.stringify({ "tls.crt": text }), ["not-pem"]),
  damaged("pem-request", (text, kit) => request(kit) + text, ["pem-other-block"]),
  damaged("pem-request-only", (_, kit) => request(kit), ["no-certificate", "pem-other-block"]),
  damaged("pem-pkcs7", (text, { openssl }) => openssl(["crl2pkcs7", "-nocrl", "-certfile", inputFile], text), [
    "no-certificate",
    "pem-other-block",
  ]),
  damaged("pem-bad-der-after", (text) => `${text}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, [
    "certificate-unreadable",
  ]),
  damaged("pem-other-block-truncated", (text) => `${text}-----BEGIN NOTE-----\nAAAA\n`, ["pem-truncated"]),
  damaged("pem-empty", () => "", ["certificate-file-empty"]),
  damaged("pem-blank", () => "\n \r\n", ["certificate-file-empty"]),
  damaged("pem-only-key", (_, { chain }) => chain.key, ["key-in-certificate-file", "no-certificate"]),
  damaged("pem-with-key", (text, { chain }) => text + chain.key, ["key-in-certificate-file"]),
  damaged("der-certificate", (_, { chain, openssl }) => openssl(["x509", "-outform", "der"], chain.leaf), ["not-pem"]),
  damaged("pkcs12", (_, kit) => pkcs12(kit), ["not-pem"]),
  damaged("jks", () => Buffer.from("feedfeed0000000200000001", "hex"), ["not-pem"]),
];

function trust(chain: string, { openssl }: VectorKit): string {
  const first = openssl(["x509", "-addtrust", "serverAuth", "-trustout"], chain).toString();
  return first + chain.slice(chain.indexOf("-----BEGIN", 1));
}

function request({ openssl }: VectorKit): string {
  const key = openssl(["genpkey", "-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]);
  return openssl(["req", "-new", "-key", inputFile, "-subj", "/CN=a.example"], key).toString();
}

function pkcs12({ openssl, chain }: VectorKit): Buffer {
  return openssl(["pkcs12", "-export", "-in", inputFile, "-passout", "pass:test"], chain.leaf + chain.key);
}
