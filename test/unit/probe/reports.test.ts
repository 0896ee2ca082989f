import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAuthority, type IssuedCertificate, type IssueOptions } from "../../support/certificates.ts";
import { startTlsServer } from "../../support/tls-server.ts";
import { probe } from "../../support/tls-server-probe.ts";

const authority = createAuthority();
let directory: string;
let root: X509Certificate;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-probe-"));
  root = new X509Certificate(await authority.caPem());
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

describe("trust is reported beside the certificate", () => {
  async function probeTrust(pair: IssuedCertificate, cert = pair.certificatePem): Promise<unknown> {
    await using server = await startTlsServer(pair, { cert });
    const result = await probe(server.address, { authorities: [root] });
    return result.kind === "served" ? result.trust : result;
  }

  test("where the path leads to the CA file", async () => {
    expect(await probeTrust(await authority.issue({ names: ["a.example"], intermediates: 2 }))).toEqual({
      isTrusted: true,
    });
  });

  test("where an intermediate is missing", async () => {
    const pair = await authority.issue({ names: ["a.example"], intermediates: 1 });
    const leafAlone = new X509Certificate(pair.certificatePem).toString();
    expect(await probeTrust(pair, leafAlone)).toEqual({
      isTrusted: false,
      problem:
        'nobody in the CA file issued "CN=a.example": its issuer "CN=certhup intermediate 1" is missing or not trusted',
    });
  });

  test("where it comes from another authority of the same name", async () => {
    const impostor = createAuthority();
    expect(await probeTrust(await impostor.issue({ names: ["a.example"] }))).toMatchObject({ isTrusted: false });
  });

  test("where it has expired", async () => {
    const pair = await authority.issue({ names: ["a.example"], notAfter: new Date(Date.now() - 60_000) });
    expect(await probeTrust(pair)).toEqual({
      isTrusted: false,
      problem: expect.stringMatching(/^"CN=a\.example" is valid only from \S+Z to \S+Z$/),
    });
  });

  test("not at all without a CA file", async () => {
    await using server = await startTlsServer(await authority.issue({ names: ["a.example"] }));
    expect(await probe(server.address)).not.toHaveProperty("trust");
  });
});

describe("what is wrong with the presented chain is reported", () => {
  /** The codes for a server that presents these certificates, made of the blocks of a pair with two intermediates. */
  async function probeChain(
    arrange: (blocks: readonly string[]) => readonly string[],
    options: Partial<IssueOptions> = {},
  ): Promise<readonly string[]> {
    const pair = await authority.issue({ names: ["a.example"], intermediates: 2, ...options });
    const blocks = pair.certificatePem.split(/(?<=-----END CERTIFICATE-----\n)/).slice(0, 3);
    await using server = await startTlsServer(pair, { cert: arrange(blocks).join("") });
    const result = await probe(server.address);
    return result.kind === "served" ? (result.chainProblems ?? []).map(({ code }) => code) : [result.reason];
  }

  test("nothing where each certificate is followed by its issuer", async () => {
    expect(await probeChain((blocks) => blocks)).toEqual([]);
  });

  test("a wrong order, a repeated certificate, one that doesn't belong, and the root", async () => {
    const stranger = await createAuthority().caPem();
    const rootPem = await authority.caPem();
    expect(await probeChain(([leaf = "", first = "", second = ""]) => [leaf, second, first])).toEqual(["chain-order"]);
    expect(await probeChain((blocks) => [...blocks, ...blocks.slice(1)])).toEqual([
      "chain-duplicate",
      "chain-duplicate",
    ]);
    expect(await probeChain((blocks) => [...blocks, stranger])).toEqual(["chain-unrelated"]);
    expect(await probeChain((blocks) => [...blocks, rootPem])).toEqual(["chain-root-included"]);
  });

  test("intermediates that have ended, or end before the leaf", async () => {
    const passed = { intermediateNotAfter: new Date(Date.now() - 60_000) };
    expect(await probeChain((blocks) => blocks, passed)).toEqual(["chain-expired", "chain-expired"]);
    const soon = { intermediateNotAfter: new Date(Date.now() + 86_400_000) };
    expect(await probeChain((blocks) => blocks, soon)).toEqual(["chain-ends-before-leaf", "chain-ends-before-leaf"]);
  });

  test("no more than five of a hundred", async () => {
    const strangers = await Promise.all(Array.from({ length: 20 }, () => createAuthority().caPem()));
    expect(await probeChain((blocks) => [...blocks, ...strangers])).toEqual(Array(5).fill("chain-unrelated"));
  });

  test("a leaf alone that says where its issuer can be had, unless a CA file tells", async () => {
    const openssl = (command: string, ...more: string[]): Buffer =>
      execFileSync("openssl", [...command.split(" "), ...more], { cwd: directory, stdio: "pipe" });
    openssl("req -x509 -newkey rsa:2048 -nodes -keyout upper.key -out upper.pem -subj", "/CN=upper");
    openssl(
      "req -x509 -newkey rsa:2048 -nodes -CA upper.pem -CAkey upper.key -keyout lone.key -out lone.pem -subj /CN=a -addext",
      "authorityInfoAccess=caIssuers;URI:http://ca.example/upper.der",
    );
    const [certificatePem = "", keyPem = "", upper = ""] = await Promise.all(
      ["lone.pem", "lone.key", "upper.pem"].map((name) => readFile(join(directory, name), "utf8")),
    );
    await using server = await startTlsServer({ certificatePem, keyPem });
    expect(await probe(server.address)).toMatchObject({
      chainProblems: [
        { code: "chain-incomplete", message: 'the leaf stands alone; its issuer "CN=upper" may be an intermediate' },
      ],
    });
    const informed = await probe(server.address, { authorities: [new X509Certificate(upper)] });
    expect(informed).toMatchObject({ trust: { isTrusted: true } });
    expect(informed).not.toHaveProperty("chainProblems");
  });
});

test("whether the certificate covers the name asked for is reported", async () => {
  await using server = await startTlsServer(await authority.issue({ names: ["*.b.example"], commonName: "a.example" }));
  expect(await probe(`${server.address}?servername=x.b.example`)).toMatchObject({
    coversName: { name: "x.b.example", isCovered: true },
  });
  expect(await probe(`${server.address}?servername=a.example`)).toMatchObject({
    coversName: { name: "a.example", isCovered: false },
  });
});

describe("an OCSP staple", () => {
  let pair: IssuedCertificate;
  let staples: { readonly own: Buffer; readonly other: Buffer; readonly revoked: Buffer };

  beforeAll(async () => {
    const openssl = (...args: string[]): Buffer => execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca");
    const issue = async (name: string, serial: string): Promise<void> => {
      openssl(
        "req",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        `${name}.key`,
        "-out",
        `${name}.csr`,
        "-subj",
        "/CN=a",
      );
      openssl(
        "x509",
        "-req",
        "-in",
        `${name}.csr`,
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-set_serial",
        serial,
        "-out",
        `${name}.pem`,
      );
    };
    const respond = async (name: string): Promise<Buffer> => {
      openssl("ocsp", "-issuer", "ca.pem", "-cert", `${name}.pem`, "-no_nonce", "-reqout", `${name}.req`);
      openssl(
        ..."ocsp -index index.txt -rsigner ca.pem -rkey ca.key -CA ca.pem -ndays 3".split(" "),
        ...["-reqin", `${name}.req`, "-respout", `${name}.resp`],
      );
      return await readFile(join(directory, `${name}.resp`));
    };
    await issue("own", "0xf00d");
    await issue("other", "0x0b");
    await writeFile(
      join(directory, "index.txt"),
      "V\t400101000000Z\t\tF00D\tunknown\t/CN=a\nV\t400101000000Z\t\t0B\tunknown\t/CN=b\n",
    );
    const [own, other] = [await respond("own"), await respond("other")];
    await writeFile(join(directory, "index.txt"), "R\t400101000000Z\t250101000000Z\tF00D\tunknown\t/CN=a\n");
    staples = { own, other, revoked: await respond("own") };
    const [certificatePem, keyPem, caPem] = await Promise.all(
      ["own.pem", "own.key", "ca.pem"].map((name) => readFile(join(directory, name), "utf8")),
    );
    pair = { certificatePem, keyPem, caPem, fingerprint: "" } as IssuedCertificate;
  });

  test.each([
    ["for the leaf", () => staples.own, { status: "good", isForLeaf: true, serialNumber: "F00D" }],
    ["for the certificate before it", () => staples.other, { status: "good", isForLeaf: false, serialNumber: "0B" }],
    ["that says revoked", () => staples.revoked, { status: "revoked", isForLeaf: true, serialNumber: "F00D" }],
    ["that is none", () => Buffer.from("nonsense"), { status: "unreadable", isForLeaf: false }],
    ["that is absent", () => undefined, undefined],
  ])("%s is reported", async (_what, getStaple, expected) => {
    await using server = await startTlsServer(pair, {}, getStaple());
    const result = await probe(server.address);
    expect(result.kind === "served" ? result.ocspStaple : result).toEqual(expected);
  });

  test.each([
    ["status_request", "tlsfeature=status_request", { status: "missing", isForLeaf: false }],
    ["status_request_v2", "tlsfeature=status_request_v2", { status: "missing", isForLeaf: false }],
    ["another feature", "1.3.6.1.5.5.7.1.24=DER:30:03:02:01:0A", undefined],
    ["something unreadable", "1.3.6.1.5.5.7.1.24=DER:30:7F", undefined],
  ])("is missed where the certificate promises %s", async (_what, extension, expected) => {
    const command = "req -x509 -newkey rsa:2048 -nodes -keyout promise.key -out promise.pem -subj /CN=a -addext";
    execFileSync("openssl", [...command.split(" "), extension], { cwd: directory, stdio: "pipe" });
    const certificatePem = await readFile(join(directory, "promise.pem"), "utf8");
    const keyPem = await readFile(join(directory, "promise.key"), "utf8");
    await using server = await startTlsServer({ certificatePem, keyPem });
    const result = await probe(server.address);
    expect(result.kind === "served" ? result.ocspStaple : result).toEqual(expected);
    await using stapling = await startTlsServer({ certificatePem, keyPem }, {}, staples.own);
    expect(await probe(stapling.address)).toMatchObject({ ocspStaple: { status: "good", isForLeaf: false } });
  });
});
