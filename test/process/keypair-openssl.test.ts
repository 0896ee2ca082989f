import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseKeypair } from "../../src/keypair/parse-keypair.ts";
import { validateKeypair } from "../../src/keypair/validate-keypair.ts";
import { defaultKeypairPolicy } from "../support/keypair-policy.ts";
import { readVector, vectorFileNames, vectorFolder, vectors } from "../vectors/read-vector.ts";
import { vectorNowMs } from "../vectors/vector.ts";

const keyCodes = ["key-unreadable", "key-encrypted", "key-passphrase-wrong", "no-private-key", "key-file-empty"];

describe("what certhup says of a pair agrees with the openssl program", () => {
  test.each(vectors.map(({ name }) => name))("%s", (name) => {
    const { codes, isParsed, hasAuthorities } = judge(name);
    const certificate = join(vectorFolder, name, vectorFileNames.certificate);
    const keyFile = join(vectorFolder, name, vectorFileNames.key);
    const key = existsSync(keyFile) ? keyFile : certificate;
    const certificateKey = openssl("x509", "-in", certificate, "-noout", "-pubkey");
    const ownKey = openssl("pkey", "-inform", "PEM", "-in", key, "-pubout", "-passin", passphraseOf(name));

    if (isParsed) {
      expect(certificateKey).toContain("PUBLIC KEY");
      expect(ownKey).toContain("PUBLIC KEY");
    }
    if (codes.some((code) => keyCodes.includes(code))) {
      expect(ownKey).toBeUndefined();
    }
    if (isParsed && !codes.includes("leaf-not-first")) {
      expect(certificateKey === ownKey).toBe(!codes.includes("key-mismatch"));
    }
    if (isParsed && hasAuthorities && !codes.includes("leaf-not-first")) {
      const ca = join(vectorFolder, name, vectorFileNames.ca);
      const trusted = ["-partial_chain", "-no_check_time", "-trusted", ca, "-untrusted", certificate];
      expect(openssl("verify", ...trusted, certificate) === undefined).toBe(codes.includes("untrusted"));
    }
  });
});

function judge(name: string): { codes: readonly string[]; isParsed: boolean; hasAuthorities: boolean } {
  const parsed = parseKeypair(readVector(name));
  if (parsed.kind === "unusable") {
    return { codes: parsed.findings.map(({ code }) => code), isParsed: false, hasAuthorities: false };
  }
  const { keypair } = parsed;
  const findings = [...parsed.findings, ...validateKeypair(keypair, defaultKeypairPolicy, vectorNowMs, undefined)];
  return { codes: findings.map(({ code }) => code), isParsed: true, hasAuthorities: keypair.authorities.length > 0 };
}

function passphraseOf(name: string): string {
  const file = join(vectorFolder, name, vectorFileNames.passphrase);
  return `pass:${existsSync(file) ? readFileSync(file, "utf8").trimEnd() : ""}`;
}

/** Standard output, or undefined where the program says no. */
function openssl(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("openssl", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return status === 0 ? stdout : undefined;
}
