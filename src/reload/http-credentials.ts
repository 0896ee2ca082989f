import { join } from "node:path";
import { explainReadFailure, type ReadFailure, readBounded } from "../system/read-bounded.ts";
import type { CredentialsSource } from "./http-options.ts";
import type { Refusal } from "./server-process.ts";

type Authorization = { readonly kind: "authorization"; readonly value: string };

/** No header can be longer: Node's own servers take 16 KiB of them all (Node documentation, "http.maxHeaderSize"). */
const largestFile = 65_536;

/** The value of the Authorization header, or why there is none. File contents never reach a message. */
export async function readAuthorization(source: CredentialsSource): Promise<Authorization | Refusal> {
  return source.kind === "bearer" ? await readBearer(source.file) : await readBasic(source.path);
}

async function readBearer(file: string): Promise<Authorization | Refusal> {
  const read = await readText(file);
  if (read.kind === "failed") return unreadable(file, read.failure);
  const token = read.text.trim();
  // RFC 6750, section 2.1: anything else in it would end the header, or the request.
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) return unusable(`${file} holds no bearer token`);
  return { kind: "authorization", value: `Bearer ${token}` };
}

async function readBasic(path: string): Promise<Authorization | Refusal> {
  const read = await readText(path);
  if (read.kind === "text") return toBasic(path, read.text);
  if (read.failure.reason !== "system-error" || read.failure.code !== "EISDIR") return unreadable(path, read.failure);
  const [userFile, passwordFile] = [join(path, "username"), join(path, "password")];
  const [user, password] = await Promise.all([readText(userFile), readText(passwordFile)]);
  if (user.kind === "failed") return unreadable(userFile, user.failure);
  if (password.kind === "failed") return unreadable(passwordFile, password.failure);
  return toBasic(path, `${user.text.trim()}:${password.text}`);
}

function toBasic(path: string, text: string): Authorization | Refusal {
  const pair = text.replace(/\r?\n$/, "");
  if (!pair.includes(":") || /[\r\n\0]/.test(pair)) return unusable(`${path} doesn't hold user:password in one line`);
  return { kind: "authorization", value: `Basic ${Buffer.from(pair, "utf8").toString("base64")}` };
}

async function readText(
  file: string,
): Promise<
  { readonly kind: "text"; readonly text: string } | { readonly kind: "failed"; readonly failure: ReadFailure }
> {
  const read = await readBounded(file, largestFile);
  return read.kind === "failed" ? read : { kind: "text", text: read.bytes.toString("utf8") };
}

function unreadable(file: string, failure: ReadFailure): Refusal {
  return unusable(`credentials ${file} ${explainReadFailure(failure)}`);
}

function unusable(detail: string): Refusal {
  return {
    kind: "refused",
    reason: "credentials-unusable",
    detail,
    hint: "give a file with the token, or with user:password in one line, that the agent's user may read",
  };
}
