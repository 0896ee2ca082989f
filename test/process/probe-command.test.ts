import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { bundle } from "../support/agent.ts";
import { createAuthority, type IssuedCertificate } from "../support/certificates.ts";
import { startChild } from "../support/child.ts";
import { findFreePort } from "../support/free-port.ts";
import { readSamples } from "../support/prometheus-text.ts";
import { certhup, endWithTest } from "../support/stage.ts";
import { startTlsServer } from "../support/tls-server.ts";

const authority = createAuthority();
const dayMs = 86_400_000;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "certhup-probe-"));
  return () => rm(directory, { recursive: true });
});

interface Served {
  readonly address: string;
  readonly pair: IssuedCertificate;
}

async function serve(
  daysLeft: number,
  names: readonly string[] = ["www.example"],
  issuer = authority,
): Promise<Served> {
  const notAfter = new Date(Date.now() + daysLeft * dayMs);
  const pair = await issuer.issue({ names, notBefore: new Date(Date.now() - 90 * dayMs), notAfter });
  const server = await startTlsServer(pair);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { address: server.address, pair };
}

async function writeList(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

/** The first two columns of a table, without its head and its last line. */
function rowsOf(table: string): readonly (readonly (string | undefined)[])[] {
  const lines = table.trimEnd().split("\n").slice(1, -1);
  return lines.map((line) => line.split(/ +/).slice(0, 2));
}

test("a table for people shows what is unknown and what ends first at the top, and how urgent it is", async () => {
  const [fine, soon, urgent, over] = [await serve(60), await serve(20), await serve(5), await serve(-1)];
  const away = `127.0.0.1:${await findFreePort()}`;
  const endpoints = [fine.address, away, over.address, soon.address, urgent.address];
  const { status, standardOutput, standardError } = await certhup(["probe", ...endpoints]);
  expect(rowsOf(standardOutput)).toEqual([
    ["unreachable", away],
    ["expired", over.address],
    ["critical", urgent.address],
    ["warn", soon.address],
    ["good", fine.address],
  ]);
  expect(standardOutput).toMatch(/\n5 probed: 1 good, 1 warn, 1 critical, 1 expired, 1 unreachable\n$/);
  expect(standardOutput).toMatch(/^STATE +ENDPOINT +LEFT +UNTIL +FOR +ISSUER +REMARKS\n/);
  expect(standardOutput).not.toContain("\x1b");
  expect({ status, standardError }).toEqual({ status: 1, standardError: "" });
});

test("the exit status is 0 while nothing is critical, expired or unreachable, and the thresholds decide that", async () => {
  const { address } = await serve(20);
  const probe = (...flags: string[]) => certhup(["probe", address, ...flags]);
  expect(await probe()).toMatchObject({ status: 0, output: expect.stringContaining("warn ") });
  expect(await probe("--warn", "10d")).toMatchObject({ status: 0, output: expect.stringContaining("good ") });
  expect(await probe("--critical", "30d")).toMatchObject({ status: 1, output: expect.stringContaining("critical ") });
  const byEnvironment = await certhup(["probe", address], { CERTHUP_CRITICAL: "30d" });
  expect(byEnvironment).toMatchObject({ status: 1 });
});

test("JSON tells everything, sorted alike", async () => {
  const [fine, urgent] = [await serve(60, ["a.example", "b.example"]), await serve(5)];
  const away = `127.0.0.1:${await findFreePort()}`;
  const { status, standardOutput } = await certhup(["probe", fine.address, away, urgent.address, "--output", "json"]);
  expect(status).toBe(1);
  expect(JSON.parse(standardOutput)).toMatchObject({
    endpoints: [
      { endpoint: away, state: "unreachable", reason: "connection-refused", detail: expect.any(String) },
      { endpoint: urgent.address, state: "critical", served: { fingerprint: urgent.pair.fingerprint, daysLeft: 4 } },
      {
        endpoint: fine.address,
        state: "good",
        served: { names: ["a.example", "b.example"], daysLeft: 59, notAfter: expect.stringMatching(/^[\d-]{10}T.*Z$/) },
        protocol: "TLSv1.3",
      },
    ],
  });
});

test("of an endpoint with two certificates the one that ends first counts, and the other one is told", async () => {
  const [first, second] = [await serve(60), await authority.issue({ names: ["www.example"] })];
  const port = Number(first.address.split(":").at(-1));
  const other = await startTlsServer(second, { host: "::1", port });
  onTestFinished(() => other[Symbol.asyncDispose]());
  const endpoint = `localhost:${port}`;
  const { standardOutput } = await certhup(["probe", endpoint, "--output", "json"]);
  const time = expect.stringMatching(/^[\d-]{10}T.*Z$/);
  expect(JSON.parse(standardOutput).endpoints).toMatchObject([
    {
      endpoint,
      served: { fingerprint: first.pair.fingerprint, daysLeft: 59 },
      alsoServed: [{ fingerprint: second.fingerprint, daysLeft: 89, notBefore: time, notAfter: time }],
    },
  ]);
  const { standardOutput: table } = await certhup(["probe", endpoint]);
  expect(table).toContain("another process or address behind it serves another certificate");
});

test("Prometheus text can be read by a textfile collector", async () => {
  const { address, pair } = await serve(60);
  const away = `127.0.0.1:${await findFreePort()}`;
  const { status, standardOutput } = await certhup(["probe", away, address, "--output", "prometheus"]);
  expect(status).toBe(1);
  const { samples } = readSamples(standardOutput);
  const find = (name: string, endpoint: string) =>
    samples.filter((sample) => sample.name === name && sample.labels["endpoint"] === endpoint);
  expect(find("certhup_certificate_not_after_timestamp_seconds", address)).toHaveLength(1);
  expect(find("certhup_certificate_not_after_timestamp_seconds", away)).toEqual([]);
  expect(find("certhup_certificate_info", address)).toMatchObject([
    { labels: { fingerprint_sha256: pair.fingerprint } },
  ]);
  expect(find("certhup_probes_total", away)).toMatchObject([{ labels: { verdict: "unreachable" }, value: 1 }]);
});

test("endpoints come from text and YAML files as well, each once", async () => {
  const [one, two, three] = [await serve(60), await serve(50), await serve(40)];
  const text = await writeList("good.txt", `# all of ours\n${one.address}  # the first\n\n  ${two.address}\r\n`);
  const list = await writeList("good.yaml", `endpoints:\n  - ${three.address}\n  - ${one.address}\n`);
  const plain = await writeList("plain.yml", `\ufeff- ${two.address}\n`);
  const files = ["--file", text, "--file", list, "--file", plain];
  const { status, standardOutput } = await certhup(["probe", one.address, ...files]);
  expect(status).toBe(0);
  expect(rowsOf(standardOutput).map(([, endpoint]) => endpoint)).toEqual([three.address, two.address, one.address]);
});

test("a list may come from the standard input", async () => {
  const { address } = await serve(60);
  const list = await writeList("input.txt", `${address}\n`);
  const child = startChild("sh", ["-c", `exec "$0" "$1" probe --file - < "$2"`, process.execPath, bundle, list]);
  endWithTest("certhup probe", child);
  expect(await child.ended).toBe(0);
  expect(rowsOf(child.standardOutput())).toEqual([["good", address]]);
});

test("bad lines are told all at once, each with its path and line, and nothing is probed", async () => {
  const text = await writeList("bad.txt", "127.0.0.1:8443\nhttps//x y\n\ngopher://x:1\n");
  const list = await writeList("bad.yaml", "endpoints:\n  - 127.0.0.1:8443\n  - 127.0.0.1:99999\n");
  const none = await writeList("none.yaml", "servers: 5\n");
  const files = ["--file", text, "--file", list, "--file", none, "--file", join(directory, "away.txt")];
  const { status, standardOutput, standardError } = await certhup(["probe", ...files, "[::1"]);
  expect({ status, standardOutput }).toEqual({ status: 2, standardOutput: "" });
  for (const path of [`${text} (line 2)`, `${text} (line 4)`, `${list} (line 3)`, none, join(directory, "away.txt")]) {
    expect(standardError).toContain(`error: ${path}: `);
  }
  expect(standardError).toContain("error: [::1: ");
  expect(standardError.match(/^error: /gm)).toHaveLength(6);
  expect(standardError.match(/^hint: /gm)).toHaveLength(6);
});

test("without any endpoint the usage is told", async () => {
  expect(await certhup(["probe"])).toMatchObject({
    status: 2,
    output: expect.stringContaining("ENDPOINT: is required"),
  });
  const empty = await writeList("empty.txt", "# nothing yet\n");
  expect(await certhup(["probe", "--file", empty])).toMatchObject({ status: 2 });
});

test("with --trust-file paths that lead nowhere and names that aren't covered are remarked, and stay good", async () => {
  const stranger = createAuthority({ name: "stranger" });
  const [ours, theirs] = [await serve(60), await serve(60, ["www.example"], stranger)];
  const trust = await writeList("ca.pem", `some text\n${await authority.caPem()}`);
  const named = `tls://${ours.address}?servername=other.example`;
  const command = ["probe", `tls://${ours.address}?servername=www.example`, theirs.address, named];
  const { status, standardOutput } = await certhup([...command, "--trust-file", trust]);
  const lineOf = (endpoint: string) => standardOutput.split("\n").find((line) => line.includes(endpoint));
  expect(status).toBe(0);
  expect(lineOf("servername=www.example")).not.toMatch(/trusted|cover/);
  expect(lineOf(theirs.address)).toContain("not trusted: ");
  expect(lineOf("other.example")).toContain("does not cover other.example");

  const key = await writeList("key.pem", ours.pair.keyPem);
  for (const path of [key, join(directory, "no.pem")]) {
    const refused = await certhup(["probe", ours.address, "--trust-file", path]);
    expect(refused).toMatchObject({ status: 1, standardOutput: "", standardError: expect.stringContaining(path) });
    expect(refused.standardError).toContain("hint: ");
  }
});

test("a trust file with a block that can't be read counts for the certificates that can, as in a volume", async () => {
  const served = await serve(60);
  const spoilt = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const trust = await writeList("spoilt.pem", `${spoilt}${await authority.caPem()}`);
  const { status, output } = await certhup(["probe", served.address, "--trust-file", trust]);
  expect({ status, output }).toEqual({ status: 0, output: expect.not.stringContaining("not trusted") });

  const alone = await writeList("spoilt-alone.pem", spoilt);
  const refused = await certhup(["probe", served.address, "--trust-file", alone]);
  expect(refused).toMatchObject({ status: 1, standardOutput: "" });
  expect(refused.standardError).toContain(
    `error: there is no CA certificate in ${alone}: certificate 1 of the CA file`,
  );
});

test("a chain that isn't as clients need it is remarked, and stays good", async () => {
  const pair = await authority.issue({ names: ["www.example"], intermediates: 2 });
  const [leaf = "", first = "", second = ""] = pair.certificatePem.split(/(?<=-----END CERTIFICATE-----\n)/);
  const server = await startTlsServer(pair, { cert: leaf + second + first });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { status, standardOutput } = await certhup(["probe", server.address]);
  expect(status).toBe(0);
  expect(standardOutput).toMatch(/^good .* the chain is not in order; right would be "CN=www\.example", /m);
  const { standardOutput: json } = await certhup(["probe", server.address, "--output", "json"]);
  expect(JSON.parse(json).endpoints[0].chainProblems).toMatchObject([{ code: "chain-order" }]);
});

test("a certificate that promises an OCSP staple, and comes without one, is remarked", async () => {
  const [certificate, key] = [join(directory, "promise.pem"), join(directory, "promise.key")];
  const command = `req -x509 -newkey rsa:2048 -nodes -keyout ${key} -out ${certificate} -days 60 -subj /CN=a -addext`;
  execFileSync("openssl", [...command.split(" "), "tlsfeature=status_request"], { stdio: "pipe" });
  const [certificatePem, keyPem] = [await readFile(certificate, "utf8"), await readFile(key, "utf8")];
  const server = await startTlsServer({ certificatePem, keyPem });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { status, standardOutput } = await certhup(["probe", server.address]);
  expect(status).toBe(0);
  expect(standardOutput).toMatch(/^good .* no OCSP staple, though the certificate promises one \(must-staple\)$/m);
});

test("a certificate with a hostile subject reaches no terminal as it is", async () => {
  const stranger = createAuthority({ name: "evil\x1b[2J\nSTATE good" });
  const { address } = await serve(60, ["www.example"], stranger);
  for (const output of ["table", "json", "prometheus"]) {
    const { standardOutput } = await certhup(["probe", address, "--output", output]);
    expect(standardOutput).not.toContain("\x1b");
    if (output === "table") expect(standardOutput.trimEnd().split("\n")).toHaveLength(3);
  }
});
