import type { KeyObject } from "node:crypto";
import type { KeyType } from "../core/certificate-facts.ts";

/** The algorithm of a public or private key, with the curve where there is one. */
export function readKeyType(key: KeyObject): KeyType {
  switch (key.asymmetricKeyType) {
    case "rsa":
    case "rsa-pss":
    case "ed25519":
    case "ed448":
      return key.asymmetricKeyType;
    case "ec":
      return toEcKeyType(key.asymmetricKeyDetails?.namedCurve);
    default:
      return "other";
  }
}

function toEcKeyType(curve: string | undefined): KeyType {
  switch (curve) {
    case "prime256v1":
      return "ec-p256";
    case "secp384r1":
      return "ec-p384";
    case "secp521r1":
      return "ec-p521";
    default:
      return "ec-other";
  }
}
