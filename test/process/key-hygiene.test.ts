import { createPrivateKey, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { untilConfirmed, untilEvent, untilLookedAgain, untilState } from "../support/agent-waits.ts";
import { createAuthority, type IssuedCertificate } from "../support/certificates.ts";
import { createKeyLedger } from "../support/key-ledger.ts";
import { certhup, createStage, searched } from "../support/stage.ts";

// The search itself is done over everything that a file of these tests printed, after its last test: see `stage.ts`.

test("the search finds a key in every notation that a careless program would print", async () => {
  const { keyPem } = await createAuthority().issue({ names: ["a.example"] });
  const key = createPrivateKey(keyPem);
  const der = key.export({ type: "pkcs8", format: "der" });
  const secret = Buffer.from(key.export({ format: "jwk" }).d ?? "", "base64url");
  const careless = {
    pem: `error: can't read ${keyPem}`,
    json: JSON.stringify({ keyPem }),
    base64: `got ${der.toString("base64").slice(0, 90)}`,
    hex: der.toString("hex"),
    inspected: `<Buffer ${[...secret].map((byte) => byte.toString(16).padStart(2, "0")).join(" ")}>`,
    bytes: JSON.stringify(der),
    jwk: JSON.stringify(key.export({ format: "jwk" })),
  };
  const found = Object.entries(careless).filter(([where, text]) => {
    const ledger = createKeyLedger();
    ledger.addKey(keyPem);
    ledger.addText(where, text);
    return ledger.findLeaks().length > 0;
  });
  expect(found.map(([where]) => where)).toEqual(Object.keys(careless));
});

test("the search finds nothing in what may be shown of a keypair", async () => {
  const { certificatePem, keyPem, fingerprint } = await createAuthority().issue({ names: ["a.example"] });
  const ledger = createKeyLedger();
  ledger.addKey(keyPem + certificatePem);
  ledger.addText("certificate", `${certificatePem} ${fingerprint}`);
  expect(ledger.findLeaks()).toEqual([]);
});

/** Key files of every sort that can go wrong, each with something of a real key in it. */
function badKeyFiles({ keyPem }: IssuedCertificate): readonly string[] {
  const [begin = "", ...rest] = keyPem.trimEnd().split("\n");
  const body = rest.slice(0, -1);
  const end = rest.at(-1) ?? "";
  const key = createPrivateKey(keyPem);
  const passphrase = randomBytes(9).toString("base64");
  return [
    `${begin}\n${body.join("\n")}\n`,
    `${begin}\n${body.join("\n")}!\n${end}\n`,
    `${begin}${body.join("")}${end}`,
    body.join("\n"),
    `${begin.replace("PRIVATE KEY", "CERTIFICATE")}\n${body.join("\n")}\n${end.replace("PRIVATE KEY", "CERTIFICATE")}\n`,
    `${begin}\n${body.toReversed().join("\n")}\n${end}\n`,
    `${begin}\n\n${body.join("\n")}\n${end}\n`,
    key.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase }).toString(),
    `${keyPem}${keyPem}`,
    JSON.stringify(key.export({ format: "jwk" })),
  ];
}

test.for(["json", "text"])(
  "nothing of a key is shown, whatever is wrong with it, in a verbose %s log",
  async (format) => {
    const stage = await createStage();
    await stage.publish(await stage.issue());
    await stage.startServer();
    const agent = await stage.startAgent(["--log-format", format]);
    await untilState(agent, "in-sync");
    for (const keyType of ["ec-p256", "rsa-2048", "ed25519"] as const) {
      const pair = await stage.issue({ keyType });
      await stage.publish(pair);
      await untilState(agent, "in-sync");
      if (format === "json") await untilConfirmed(agent, pair);
    }
    const pair = await stage.issue({ keyType: "rsa-2048" });
    for (const keyFile of badKeyFiles(pair)) {
      await stage.publish({ certificatePem: pair.certificatePem, keyPem: keyFile });
      await untilLookedAgain(agent);
      await Promise.all([agent.ready(), agent.status(), agent.metrics()]);
      for (const output of ["table", "json"]) {
        const [certDirFlag = "", certDir = "", , , endpointFlag = "", endpoint = ""] = stage.target;
        await certhup(["check", certDirFlag, certDir, endpointFlag, endpoint, "--output", output]);
      }
    }
    // The files the other way round: a key where a certificate is looked for.
    await stage.publish({ certificatePem: pair.keyPem, keyPem: pair.certificatePem });
    await untilLookedAgain(agent);
    if (format === "json") await untilEvent(agent, "keypair-refused");
    await Promise.all([agent.ready(), agent.status(), agent.metrics()]);
    expect(searched().keys).toBeGreaterThan(4);
  },
);

test("a key given where its file should be named is refused without being shown", async () => {
  const stage = await createStage();
  const { keyPem, certificatePem } = await stage.issue();
  await stage.publish({ keyPem, certificatePem });
  const [certDirFlag = "", certDir = "", , , endpointFlag = "", endpoint = ""] = stage.target;
  const check = ["check", certDirFlag, certDir, endpointFlag, endpoint];
  for (const flag of ["--key-file", "--require-name", "--bundle-file", "--ca-file", "--endpoint", "--min-validity"]) {
    const { status, standardError } = await certhup([...check, flag, keyPem]);
    expect({ status, standardError }).toEqual({ status: 2, standardError: expect.stringContaining(`${flag}: `) });
  }
  for (const flag of ["--confirm", "--signal", "--listen-address", "--cert-dri"]) {
    const { status, standardError } = await certhup(["run", ...stage.target, flag, keyPem]);
    expect({ status, standardError }).toEqual({ status: 2, standardError: expect.stringContaining(`${flag}: `) });
  }
  // As a pod does that fills a variable from the Secret's key instead of mounting it.
  const { status, standardError } = await certhup(check, { CERTHUP_KEY_FILE: keyPem, CERTHUP_REQUIRE_NAME: keyPem });
  expect(status).toBe(2);
  expect(standardError).toContain("CERTHUP_KEY_FILE: ");
  expect(standardError).toContain("CERTHUP_REQUIRE_NAME: ");
});

test("what was searched is not nothing", () => {
  expect(searched().characters).toBeGreaterThan(20_000);
});
