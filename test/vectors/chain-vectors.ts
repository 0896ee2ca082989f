import { splitPem } from "./kit.ts";
import type { Vector, VectorFiles, VectorKit } from "./vector.ts";

type Make = (kit: VectorKit) => VectorFiles | Promise<VectorFiles>;

function vector(name: string, make: Make, codes: readonly string[], verdict: Vector["verdict"] = "accepted"): Vector {
  return { name, make, verdict, codes };
}

/** The good leaf and key with another certificate file around it, and perhaps another CA file. */
function chain(
  arrange: (parts: VectorKit["chain"], kit: VectorKit) => string,
  ca: (parts: VectorKit["chain"], kit: VectorKit) => string = (parts) => parts.ca,
): Make {
  return (kit) => ({ certificate: arrange(kit.chain, kit), key: kit.chain.key, ca: ca(kit.chain, kit) });
}

function whole({ leaf, intermediate }: VectorKit["chain"]): string {
  return leaf + intermediate;
}

/** Certificates and key in one file. */
function bundle(arrange: (parts: VectorKit["chain"], kit: VectorKit) => string | Buffer): Make {
  return (kit) => ({ certificate: arrange(kit.chain, kit), ca: kit.chain.ca });
}

async function issueDeep(kit: VectorKit): Promise<{ parts: readonly string[]; key: string; ca: string }> {
  const { certificate, key, ca } = await kit.issue({ names: ["a.example"], intermediates: 3 });
  return { parts: splitPem(certificate), key, ca };
}

/** Makes the curve of the intermediate's key an unknown one; the certificate itself still parses. */
function damageIntermediateKey({ leaf, intermediate }: VectorKit["chain"], { openssl }: VectorKit): string {
  const der = openssl(["x509", "-outform", "der"], intermediate);
  const curve = Buffer.from("06082a8648ce3d030107", "hex");
  der[der.indexOf(curve) + curve.length - 1] = 0x7f;
  return (
    leaf +
    openssl(["base64"], der)
      .toString()
      .replace(/^/, "-----BEGIN CERTIFICATE-----\n")
      .concat("-----END CERTIFICATE-----\n")
  );
}

/** Order and completeness of the chain, the CA file, and bundles. */
export const chainVectors: readonly Vector[] = [
  vector(
    "chain-ca-first",
    chain(({ leaf, intermediate }) => intermediate + leaf),
    ["leaf-not-first"],
    "refused",
  ),
  vector(
    "chain-three-intermediates",
    async (kit) => {
      const { parts, key, ca } = await issueDeep(kit);
      return { certificate: parts.join(""), key, ca };
    },
    [],
  ),
  vector(
    "chain-reversed-behind-leaf",
    async (kit) => {
      const { parts, key, ca } = await issueDeep(kit);
      const [leaf = "", ...upper] = parts;
      return { certificate: leaf + upper.reverse().join(""), key, ca };
    },
    ["chain-order"],
  ),
  vector(
    "chain-gap",
    async (kit) => {
      const { parts, key, ca } = await issueDeep(kit);
      return { certificate: [parts[0], parts[1], parts[3]].join(""), key, ca };
    },
    ["chain-unrelated", "untrusted"],
  ),
  vector(
    "chain-leaf-twice",
    chain(({ leaf, intermediate }) => leaf + leaf + intermediate),
    ["chain-duplicate"],
  ),
  vector(
    "chain-doubled",
    chain((parts) => whole(parts) + whole(parts)),
    ["chain-duplicate", "chain-duplicate"],
  ),
  vector(
    "chain-root-included",
    chain((parts) => whole(parts) + parts.ca),
    ["chain-root-included"],
  ),
  vector(
    "chain-no-intermediate",
    chain(({ leaf }) => leaf),
    ["untrusted"],
  ),
  vector(
    "chain-unrelated",
    chain((parts, { single }) => whole(parts) + single.leaf),
    ["chain-unrelated"],
  ),
  vector(
    "chain-intermediate-is-anchor",
    chain(
      ({ leaf }) => leaf,
      ({ intermediate }) => intermediate,
    ),
    [],
  ),
  vector(
    "ca-empty",
    chain(whole, () => ""),
    [],
  ),
  vector(
    "chain-intermediate-key-damaged",
    chain(damageIntermediateKey),
    ["chain-unrelated", "public-key-unreadable", "untrusted"],
    "refused",
  ),
  vector(
    "ca-garbage",
    chain(whole, () => "nothing\n"),
    ["ca-file-unusable"],
  ),
  vector(
    "ca-is-leaf",
    chain(whole, ({ leaf }) => leaf),
    [],
  ),
  vector(
    "ca-of-others",
    chain(whole, (_, kit) => kit.selfSign(kit.openssl(["genrsa", "2048"]))),
    ["untrusted"],
  ),
  vector(
    "chain-intermediate-expired",
    async (kit) => {
      const ended = new Date(Date.UTC(2026, 11, 1));
      const { certificate, key, ca } = await kit.issue({
        names: ["a.example"],
        intermediates: 1,
        intermediateNotAfter: ended,
      });
      return { certificate, key, ca };
    },
    ["chain-expired"],
  ),
  vector(
    "chain-intermediate-ends-first",
    async (kit) => {
      const ends = new Date(Date.UTC(2027, 2, 1));
      const { certificate, key, ca } = await kit.issue({
        names: ["a.example"],
        intermediates: 1,
        intermediateNotAfter: ends,
      });
      return { certificate, key, ca };
    },
    ["chain-ends-before-leaf"],
  ),
  vector(
    "bundle-key-first",
    bundle((parts) => parts.key + whole(parts)),
    [],
  ),
  vector(
    "bundle-key-last",
    bundle((parts) => whole(parts) + parts.key),
    [],
  ),
  vector(
    "bundle-key-between",
    bundle(({ leaf, intermediate, key }) => leaf + key + intermediate),
    [],
  ),
  vector(
    "bundle-single",
    bundle(({ leaf, key }) => leaf + key),
    ["untrusted"],
  ),
  vector(
    "bundle-ca-first",
    bundle(({ leaf, intermediate, key }) => key + intermediate + leaf),
    ["leaf-not-first"],
    "refused",
  ),
  vector("bundle-no-key", bundle(whole), ["no-private-key"], "refused"),
  vector(
    "bundle-no-certificate",
    bundle(({ key }) => key),
    ["no-certificate"],
    "refused",
  ),
  vector(
    "bundle-glued",
    bundle((parts) => whole(parts).trimEnd() + parts.key),
    ["pem-glued-blocks"],
    "refused",
  ),
  vector(
    "bundle-glued-key-first",
    bundle((parts) => parts.key.trimEnd() + whole(parts)),
    ["pem-glued-blocks"],
    "refused",
  ),
  vector(
    "bundle-foreign-key",
    bundle((parts, { single }) => whole(parts) + single.key),
    ["key-mismatch"],
    "refused",
  ),
  vector(
    "bundle-two-keys",
    bundle((parts) => parts.key + whole(parts) + parts.key),
    ["several-keys"],
  ),
  vector(
    "bundle-truncated-key",
    bundle((parts) => `${whole(parts)}${parts.key.slice(0, 100)}\n`),
    ["pem-truncated"],
    "refused",
  ),
];
