import { createPrivateKey } from "node:crypto";

/** Gathers keys and texts, and finds the texts that show something of a key. */
export interface KeyLedger {
  /** Notes everything of a PEM file that isn't a certificate and may be part of a private key. */
  addKey(pem: string | Uint8Array): void;
  /** Notes a text that must not show any of it. */
  addText(where: string, text: string): void;
  /** Every place where something of a key is shown, with what was found there. */
  findLeaks(): readonly string[];
  readonly size: { readonly keys: number; readonly characters: number };
}

const leastLine = 24;
const windowBytes = 12;

export function createKeyLedger(): KeyLedger {
  const traces = new Set<string>();
  const texts: { readonly where: string; readonly text: string }[] = [];
  let keys = 0;
  return {
    addKey(pem) {
      const before = traces.size;
      for (const trace of traceKey(Buffer.from(pem).toString("latin1"))) traces.add(trace);
      if (traces.size > before) keys += 1;
    },
    addText: (where, text) => void texts.push({ where, text }),
    findLeaks: () =>
      texts.flatMap(({ where, text }) =>
        [...traces].filter((trace) => text.includes(trace)).map((trace) => `${where}: ${trace}`),
      ),
    get size() {
      return { keys, characters: texts.reduce((sum, { text }) => sum + text.length, 0) };
    },
  };
}

/** What a careless program would print of a key: lines of its PEM, or bytes of its secret numbers in any notation. */
function* traceKey(pem: string): Generator<string> {
  const withoutCertificates = pem.replaceAll(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g, "");
  for (const line of withoutCertificates.split(/\r?\n/)) {
    if (line.length >= leastLine && !line.includes("-----")) yield line.trim();
  }
  for (const secret of readSecretNumbers(withoutCertificates)) {
    for (const notation of ["base64", "base64url", "hex"] as const) yield secret.toString(notation);
    for (let start = 0; start + windowBytes <= secret.length; start += windowBytes) {
      const bytes = secret.subarray(start, start + windowBytes);
      yield bytes.toString("hex");
      yield bytes.toString("hex").toUpperCase();
      yield [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
      yield bytes.join(",");
      yield bytes.join(", ");
    }
  }
}

function readSecretNumbers(pem: string): readonly Buffer[] {
  try {
    const { d, p, q } = createPrivateKey(pem).export({ format: "jwk" });
    return [d, p, q].flatMap((number) => (number === undefined ? [] : [Buffer.from(number, "base64url")]));
  } catch {
    // Truncated, encrypted or no key at all: its lines are all there is to look for.
    return [];
  }
}
