import { execFileSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLooker, type Looker } from "../../../src/agent/looker.ts";
import type { ServingConfig } from "../../../src/config/config.ts";
import { createAuthority, type IssueOptions } from "../../support/certificates.ts";
import { defaultKeypairPolicy } from "../../support/keypair-policy.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { createSecretVolume, type SecretVolume } from "../../support/secret-volume.ts";

const authority = createAuthority();
const hourMs = 3_600_000;
let directory: string;
let volume: SecretVolume;
let clock: ManualClock;
let looker: Looker;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-looker-"));
  volume = await createSecretVolume(join(directory, "tls"));
  clock = createManualClock(Date.now());
  looker = createLooker(serving(), clock);
});

afterEach(() => rm(directory, { recursive: true }));

function serving(): ServingConfig {
  return {
    name: "default",
    volume: {
      directory: volume.directory,
      certificateFile: "tls.crt",
      keyFile: "tls.key",
      caFile: "ca.crt",
      maxFileSizeBytes: 1024 * 1024,
    },
    isBundle: false,
    passphraseFile: undefined,
    keypair: defaultKeypairPolicy,
    endpoints: [],
    probeLimits: { wholeMs: 1_000, stepMs: 1_000 },
  };
}

async function publish(options: Partial<IssueOptions> = {}): Promise<void> {
  const pair = await authority.issue({ names: ["a.example"], ...options });
  await volume.publish({ "tls.crt": pair.certificatePem, "tls.key": pair.keyPem, "ca.crt": pair.caPem });
}

async function kindOf(): Promise<string> {
  return (await looker.look(undefined)).kind;
}

describe("a looker", () => {
  it("accepts a good pair, and says by which authorities it was judged", async () => {
    await publish();
    expect(await kindOf()).toBe("accepted");
    expect(looker.authorities().map(({ subject }) => subject)).toEqual(["CN=certhup test authority"]);
  });

  it("refuses the pair that it accepted once that has expired, although no file has changed", async () => {
    await publish({ notAfter: new Date(clock.now().wallMs + hourMs) });
    expect(await kindOf()).toBe("accepted");
    clock.pass(hourMs);
    expect(await looker.look(undefined)).toMatchObject({ kind: "refused", findings: [{ code: "expired" }] });
  });

  it("holds a pair that begins in a moment, and accepts it then", async () => {
    const beginsMs = clock.now().wallMs + 60_000;
    await publish({ notBefore: new Date(beginsMs) });
    const look = await looker.look(undefined);
    expect(look).toMatchObject({ kind: "held" });
    clock.pass(61_000);
    expect(await kindOf()).toBe("accepted");
  });

  it("takes a passphrase file that is a pipe nobody writes to for none", async () => {
    const pipe = join(directory, "passphrase");
    execFileSync("mkfifo", [pipe]);
    const pair = await authority.issue({ names: ["a.example"] });
    const encrypted = createPrivateKey(pair.keyPem).export({
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase: "x",
    });
    await volume.publish({ "tls.crt": pair.certificatePem, "tls.key": encrypted.toString() });
    const withPipe = createLooker({ ...serving(), passphraseFile: pipe }, clock);
    expect(await withPipe.look(undefined)).toMatchObject({ kind: "refused", findings: [{ code: "key-encrypted" }] });
  });

  it("says the same of the same content", async () => {
    await publish();
    const first = await looker.look(undefined);
    expect(await looker.look(undefined)).toEqual(first);
  });

  it("has nothing to judge where there is no file", async () => {
    await rm(volume.directory, { recursive: true });
    expect(await looker.look(undefined)).toMatchObject({ kind: "missing", findings: [{ code: "volume-absent" }] });
  });
});
