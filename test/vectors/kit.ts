import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority, type IssueOptions } from "../support/certificates.ts";
import type { VectorKit } from "./vector.ts";

/** Dates of everything that a vector doesn't give dates of its own. */
export const vectorNotBefore: Date = new Date(Date.UTC(2026, 5, 1));
/** @see vectorNotBefore */
export const vectorNotAfter: Date = new Date(Date.UTC(2126, 5, 1));

/** Stands in an openssl argument list for a file with the input, where standard input doesn't do. */
export const inputFile = "@input";

const pemBlock = /-----BEGIN [^-]+-----\n[^-]*-----END [^-]+-----\n/g;

/** Splits well-formed PEM into its blocks, each with its final line break. */
export function splitPem(text: string): readonly string[] {
  return text.match(pemBlock) ?? [];
}

/** Makes the kit that all vectors are made from; needs the openssl program. */
export async function createVectorKit(): Promise<VectorKit> {
  const authority = createAuthority({ name: "vector root", notAfter: vectorNotAfter });
  const issue = async (options: IssueOptions): ReturnType<VectorKit["issue"]> => {
    const dates = { notBefore: vectorNotBefore, notAfter: vectorNotAfter, intermediateNotAfter: vectorNotAfter };
    const issued = await authority.issue({ ...dates, ...options });
    return { certificate: issued.certificatePem, key: issued.keyPem, ca: issued.caPem };
  };
  const chained = await issue({ names: ["a.example"], intermediates: 1 });
  const [leaf = "", intermediate = ""] = splitPem(chained.certificate);
  const single = await issue({ names: ["a.example"] });
  return {
    chain: { leaf, intermediate, key: chained.key, ca: chained.ca },
    single: { leaf: single.certificate, key: single.key, ca: single.ca },
    openssl,
    selfSign,
    issue,
  };
}

function openssl(args: readonly string[], input: string | Buffer = ""): Buffer {
  const directory = mkdtempSync(join(tmpdir(), "certhup-vector-"));
  try {
    const file = join(directory, "input");
    writeFileSync(file, input);
    const withFile = args.map((argument) => (argument === inputFile ? file : argument));
    const standardInput = args.includes(inputFile) ? "" : input;
    return execFileSync("openssl", withFile, { input: standardInput, stdio: ["pipe", "pipe", "pipe"] });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function selfSign(key: string | Buffer, options: readonly string[] = []): string {
  const names = ["-subj", "/CN=a.example", "-addext", "subjectAltName=DNS:a.example"];
  const authority = options.some((option) => option.startsWith("basicConstraints"));
  const plain = authority ? [] : ["-addext", "basicConstraints=critical,CA:FALSE"];
  const args = ["req", "-x509", "-new", "-key", inputFile, "-days", "36500", ...names, ...plain, ...options];
  return openssl(args, key).toString();
}
