import { parseHeader, parseReloadUrl, parseStatusRanges, type StatusRange } from "../../reload/http-options.ts";
import { list, type Option, type Parsed, single } from "../option.ts";
import { parseCount, parseText } from "../parsers.ts";

const group = "HTTP endpoint (http)";

export const reloadUrl: Option<URL> = single(
  { key: "reloadUrl", placeholder: "URL", group, description: "reload endpoint, http: or https:" },
  toUrl,
);
export const reloadMethod: Option<string> = single(
  { key: "reloadMethod", placeholder: "METHOD", group, fallback: "POST", description: "request method" },
  toMethod,
);
export const reloadHeader: Option<readonly (readonly [name: string, value: string])[]> = list(
  {
    key: "reloadHeader",
    placeholder: "HEADER",
    group,
    description: "header, Name: value (repeatable)",
    separator: /\n/,
  },
  toHeader,
);
export const reloadBody: Option<string> = single(
  { key: "reloadBody", placeholder: "TEXT", group, description: "request body" },
  (text) => ({ kind: "value", value: text }),
);
export const reloadStatus: Option<readonly StatusRange[]> = single(
  {
    key: "reloadStatus",
    placeholder: "RANGES",
    group,
    fallback: "200-299",
    description: "answers that count as accepted: 200-299,304",
  },
  toRanges,
);
export const reloadBearerFile: Option<string> = single(
  {
    key: "reloadBearerFile",
    placeholder: "PATH",
    group,
    description: "file with the bearer token, read for each request",
  },
  parseText,
);
export const reloadBasicPath: Option<string> = single(
  {
    key: "reloadBasicPath",
    placeholder: "PATH",
    group,
    description: "file with user:password, or directory with username and password, read for each request",
  },
  parseText,
);
export const reloadSocket: Option<string> = single(
  { key: "reloadSocket", placeholder: "PATH", group, description: "Unix socket to connect to instead" },
  parseText,
);
export const reloadCaFile: Option<string> = single(
  { key: "reloadCaFile", placeholder: "PATH", group, description: "roots for the endpoint's certificate" },
  parseText,
);
export const reloadServerName: Option<string> = single(
  { key: "reloadServerName", placeholder: "NAME", group, description: "name that its certificate must have" },
  parseText,
);
export const reloadRedirects: Option<number> = single(
  {
    key: "reloadRedirects",
    placeholder: "COUNT",
    group,
    fallback: "0",
    description: "redirects to follow, within the same origin",
  },
  parseCount(0, 10),
);

/** The options of HTTP endpoints, in the order of the help. */
export const httpOptions: readonly Option<unknown>[] = [
  reloadUrl,
  reloadMethod,
  reloadHeader,
  reloadBody,
  reloadStatus,
  reloadBearerFile,
  reloadBasicPath,
  reloadSocket,
  reloadCaFile,
  reloadServerName,
  reloadRedirects,
];

function toUrl(text: string): Parsed<URL> {
  const parsed = parseReloadUrl(text);
  return parsed.kind === "url" ? { kind: "value", value: parsed.url } : parsed;
}

function toMethod(text: string): Parsed<string> {
  const method = text.trim().toUpperCase();
  return /^[A-Z]{1,20}$/.test(method)
    ? { kind: "value", value: method }
    : { kind: "issue", message: `"${text}" is no request method`, hint: "write POST, PUT or GET" };
}

function toHeader(text: string): Parsed<readonly [name: string, value: string]> {
  const parsed = parseHeader(text);
  return parsed.kind === "header" ? { kind: "value", value: parsed.header } : parsed;
}

function toRanges(text: string): Parsed<readonly StatusRange[]> {
  const parsed = parseStatusRanges(text);
  return parsed.kind === "ranges" ? { kind: "value", value: parsed.ranges } : parsed;
}
