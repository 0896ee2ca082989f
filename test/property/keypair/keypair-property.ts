import process from "node:process";
import { createSecureContext } from "node:tls";
import fc from "fast-check";
import type { Finding } from "../../../src/core/finding.ts";
import { keypairFindingCodes } from "../../../src/keypair/finding-codes.ts";
import { nextVerdictChangeMs } from "../../../src/keypair/judge-dates.ts";
import { readKeypairFacts } from "../../../src/keypair/keypair.ts";
import type { KeypairPolicy } from "../../../src/keypair/keypair-policy.ts";
import { type KeypairFiles, parseKeypair } from "../../../src/keypair/parse-keypair.ts";
import { rehearse } from "../../../src/keypair/rehearsal.ts";
import { validateKeypair } from "../../../src/keypair/validate-keypair.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { defaultKeypairPolicy } from "../../support/keypair-policy.ts";
import { readVector, vectors } from "../../vectors/read-vector.ts";
import { vectorNowMs } from "../../vectors/vector.ts";
import { type Mutation, mutate, mutation } from "./mutation.ts";

/**
 * How much of the processor one pair may take; far beyond what it takes, so that only a hang is beyond it. A busy
 * machine doesn't count.
 */
const patienceMs = 2000;

interface Damage {
  readonly vector: string;
  readonly certificate: readonly Mutation[];
  readonly key: readonly Mutation[];
  readonly ca: readonly Mutation[];
  readonly isRehearsed: boolean;
}

const few: fc.Arbitrary<Mutation[]> = fc.array(mutation, { maxLength: 4 });

const damage: fc.Arbitrary<Damage> = fc.record({
  vector: fc.constantFrom(...vectors.map(({ name }) => name)),
  certificate: few,
  key: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: few }),
  ca: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: few }),
  isRehearsed: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
});

const policies: readonly KeypairPolicy[] = [
  defaultKeypairPolicy,
  {
    minValidityMs: 86_400_000,
    clockSkewMs: 0,
    requireNames: ["a.example", "192.0.2.1", "*.a.example"],
    requireTrust: true,
    allowExpired: true,
    allowWeak: true,
  },
];

/**
 * Whatever is done to the files of a pair: nothing throws or hangs, every finding is in the list and printable, what is
 * accepted is what OpenSSL loads, and no key stays behind in the buffers.
 */
export const damagedFilesProperty: fc.IAsyncPropertyWithHooks<[Damage]> = fc.asyncProperty(damage, async (given) => {
  const files = applyDamage(given);
  const originals = { certificate: Buffer.from(files.certificate), key: copy(files.key), ca: copy(files.ca) };
  const start = process.cpuUsage();
  const parsed = parseKeypair(files);
  checkFindings(parsed.findings);
  checkZeroed(files);
  if (parsed.kind === "parsed") {
    const { keypair } = parsed;
    const served = readKeypairFacts(keypair);
    for (const policy of policies) {
      checkFindings(validateKeypair(keypair, policy, vectorNowMs, undefined));
      checkFindings(validateKeypair(keypair, policy, vectorNowMs, { ...served, fingerprint: "0", notBefore: 0 }));
      nextVerdictChangeMs(keypair, policy, vectorNowMs);
    }
    const isRefused = validateKeypair(keypair, defaultKeypairPolicy, vectorNowMs, undefined).some(isRefusal);
    if (!isRefused) {
      loadAsServer(originals, files);
    }
    if (given.isRehearsed) {
      checkFindings(await rehearse(keypair, { clock: systemClock, requireNames: ["a.example"] }));
    }
  } else if (!parsed.findings.some(isRefusal)) {
    throw new Error("an unusable pair has no finding that refuses it");
  }
  const { user, system } = process.cpuUsage(start);
  const tookMs = (user + system) / 1000;
  if (tookMs > patienceMs) {
    throw new Error(`one pair took ${Math.round(tookMs)} ms`);
  }
});

function applyDamage({ vector, certificate, key, ca }: Damage): KeypairFiles {
  const files = readVector(vector);
  return {
    ...files,
    certificate: mutate(files.certificate, certificate),
    ...(files.key == null ? {} : { key: mutate(files.key, key) }),
    ca: files.ca === undefined ? undefined : mutate(files.ca, ca),
  };
}

function loadAsServer(originals: { certificate: Buffer; key: Buffer | undefined }, files: KeypairFiles): void {
  const { passphrase } = files;
  createSecureContext({
    cert: originals.certificate,
    key: originals.key ?? originals.certificate,
    ca: [],
    ...(passphrase === undefined ? {} : { passphrase: Buffer.from(passphrase).toString().trimEnd() }),
  });
}

function checkFindings(findings: readonly Finding[]): void {
  for (const { code, message, hint = "" } of findings) {
    if (!Object.hasOwn(keypairFindingCodes, code)) {
      throw new Error(`unknown code ${code}`);
    }
    if (/\p{C}/u.test(message + hint) || message.length > 4000) {
      throw new Error(`the message of ${code} is not fit for a terminal: ${JSON.stringify(message)}`);
    }
  }
}

function checkZeroed({ key, certificate, bundle }: KeypairFiles): void {
  if (key?.some((byte) => byte !== 0) || (bundle === true && certificate.some((byte) => byte !== 0))) {
    throw new Error("key bytes were left in a buffer");
  }
}

function isRefusal({ severity }: Finding): boolean {
  return severity === "refuse";
}

function copy(bytes: Uint8Array | undefined): Buffer | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes);
}
