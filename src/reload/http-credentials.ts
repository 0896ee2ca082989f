import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CredentialsSource } from "./http-options.ts";
import type { Refusal } from "./server-process.ts";

/** The value of the Authorization header, or why there is none. File contents never reach a message. */
export async function readAuthorization(
  source: CredentialsSource,
): Promise<{ readonly kind: "authorization"; readonly value: string } | Refusal> {
  try {
    return source.kind === "bearer" ? await readBearer(source.file) : await readBasic(source.path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    const path = source.kind === "bearer" ? source.file : source.path;
    return unusable(`credentials ${path} can't be read: ${code}`);
  }
}

async function readBearer(file: string): Promise<{ kind: "authorization"; value: string } | Refusal> {
  const token = (await readFile(file, "utf8")).trim();
  // RFC 6750, section 2.1: anything else in it would end the header, or the request.
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) return unusable(`${file} holds no bearer token`);
  return { kind: "authorization", value: `Bearer ${token}` };
}

async function readBasic(path: string): Promise<{ kind: "authorization"; value: string } | Refusal> {
  const pair = (await readPair(path)).replace(/\r?\n$/, "");
  if (!pair.includes(":") || /[\r\n\0]/.test(pair)) return unusable(`${path} doesn't hold user:password in one line`);
  return { kind: "authorization", value: `Basic ${Buffer.from(pair, "utf8").toString("base64")}` };
}

async function readPair(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EISDIR") throw error;
    const [user, password] = await Promise.all([
      readFile(join(path, "username"), "utf8"),
      readFile(join(path, "password"), "utf8"),
    ]);
    return `${user.trim()}:${password}`;
  }
}

function unusable(detail: string): Refusal {
  return {
    kind: "refused",
    reason: "credentials-unusable",
    detail,
    hint: "give a file with the token, or with user:password in one line, that the agent's user may read",
  };
}
