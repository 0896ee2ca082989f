import process from "node:process";
import { expect, test } from "vitest";
import { readPem } from "../../../src/keypair/pem.ts";

const body = "QUJDREVG\n";
const begin = "-----BEGIN CERTIFICATE-----\n";
const end = "-----END CERTIFICATE-----\n";
const block = begin + body + end;

function read(text: string): ReturnType<typeof readPem> {
  return readPem(Buffer.from(text));
}

function faultsOf(text: string): readonly string[] {
  return read(text).faults.map(({ kind, offset }) => `${kind} ${offset}`);
}

test("two blocks are split with their byte offsets, text between them doesn't count", () => {
  const text = `subject=é\n${block}and more\n${block}`;
  const first = Buffer.byteLength("subject=é\n");
  const second = first + block.length + "and more\n".length;
  expect(read(text)).toEqual({
    blocks: [
      { label: "CERTIFICATE", start: first, end: first + block.length, isFaulty: false },
      { label: "CERTIFICATE", start: second, end: second + block.length, isFaulty: false },
    ],
    faults: [],
    hasByteOrderMark: false,
    hasWindowsLineEnds: false,
    hasFinalNewline: true,
  });
});

test("glued blocks are named with the offset of the second one, and both are still found", () => {
  const pem = read(block.trimEnd() + block);
  expect(pem.faults).toEqual([{ kind: "glued", offset: block.length - 1, label: "CERTIFICATE" }]);
  expect(pem.blocks).toHaveLength(1);
});

test("an end line with a begin line behind it, but no block before it, opens nothing", () => {
  const pem = read(`${end.trimEnd()}${block}`);
  expect(pem.blocks).toEqual([]);
  expect(pem.faults.map(({ kind }) => kind)).toEqual(["skipped"]);
});

test("a file cut off within a block is truncated where the block begins", () => {
  expect(faultsOf(`${block}${begin}QUJD`)).toEqual([`truncated ${block.length}`]);
});

test("a file cut off within a begin line is truncated there", () => {
  expect(faultsOf(`${block}-----BEG`)).toEqual([`truncated ${block.length}`]);
  expect(faultsOf(`${block}-----BEGIN CERTIF`)).toEqual([`truncated ${block.length}`]);
});

test("dashes at the end of a text are no cut begin line", () => {
  expect(faultsOf(`${block}------\n`)).toEqual([]);
  expect(faultsOf(`${block}---`)).toEqual([]);
});

test("the byte that is not base64 is named", () => {
  expect(faultsOf(`${begin}QUJD*EVG\n${end}`)).toEqual([`bad-base64 ${begin.length + 4}`]);
});

test("base64 of a length that can't be is named at the end line", () => {
  expect(faultsOf(`${begin}QUJDREV\n${end}`)).toEqual([`bad-base64 ${begin.length + 8}`]);
});

test("base64 goes on in spite of spaces, tabs and carriage returns, and not behind its padding", () => {
  expect(faultsOf(`${begin}QUJD RE\tVG\r\n  QQ==\n${end}`)).toEqual([]);
  expect(faultsOf(`${begin}QQ==\nQUJD\n${end}`)).toEqual([`bad-base64 ${begin.length + 5}`]);
});

test("headers end at the blank line and are no base64", () => {
  expect(faultsOf(`${begin}Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${body}${end}`)).toEqual([]);
});

test("a blank line between lines of base64 is a fault", () => {
  expect(faultsOf(`${begin}${body}\n${body}${end}`)).toEqual([`blank-line ${begin.length + body.length}`]);
});

test("an end line under another label doesn't close its block", () => {
  expect(faultsOf(`${begin}${body}-----END PRIVATE KEY-----\n`)).toEqual([
    `end-mismatch ${begin.length + body.length}`,
  ]);
});

test("a block reaches to the next end line, as in OpenSSL, when another one begins within it", () => {
  const pem = read(`${begin}${body}${block}`);
  expect(pem.faults).toEqual([{ kind: "unclosed", offset: begin.length + body.length, label: "CERTIFICATE" }]);
  expect(pem.blocks).toEqual([
    { label: "CERTIFICATE", start: 0, end: begin.length + body.length + block.length, isFaulty: true },
  ]);
});

test("an indented block is passed over and named once", () => {
  expect(faultsOf(block.replace(/^/gm, "  ").trimEnd())).toEqual(["skipped 2"]);
});

test("a block whose line breaks are lost is named", () => {
  expect(faultsOf(block.replaceAll("\n", " "))).toEqual(["one-line-block 0"]);
});

test("a byte order mark before the begin line is seen and passed over", () => {
  expect(read(`\ufeff${block}`)).toMatchObject({ hasByteOrderMark: true, faults: [], blocks: [{ start: 3 }] });
});

test("a begin marker behind a multiple of 254 bytes begins a block, as in OpenSSL, and elsewhere it doesn't", () => {
  expect(read(`${"x".repeat(508)}${block}`).blocks).toEqual([
    { label: "CERTIFICATE", start: 508, end: 508 + block.length, isFaulty: false },
  ]);
  expect(faultsOf(`${"x".repeat(400)}${block}`)).toEqual(["skipped 400"]);
});

test("a megabyte of anything is read in one pass", () => {
  const size = 1024 * 1024;
  const pieces = ["-----BEGIN A-----\n", "-", "\n", "-----END A----------BEGIN A-----", "-----BEGIN ", "A", ": \n"];
  for (const piece of pieces) {
    const text = Buffer.from(piece.repeat(Math.floor(size / piece.length)));
    const start = process.cpuUsage();
    const pem = readPem(text);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
    expect(pem.faults.length).toBeLessThanOrEqual(20);
    expect(pem.blocks.length).toBeLessThanOrEqual(1000);
  }
});
