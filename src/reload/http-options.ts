import type { Clock } from "../system/clock.ts";

/** Statuses from `from` to `to`, both included. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** Where the request's credentials come from; read anew for each request. */
export type CredentialsSource =
  /** A file that holds the token. */
  | { readonly kind: "bearer"; readonly file: string }
  /** A file that holds `user:password`, or a directory with the files `username` and `password` (a Secret volume). */
  | { readonly kind: "basic"; readonly path: string };

/** What the strategy `http` needs. */
export interface HttpStrategyOptions {
  /** `http:` or `https:`, without credentials. */
  readonly url: URL;
  /** As it is sent: POST for most reload endpoints. */
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** Answers that count as accepted. */
  readonly expectedStatuses: readonly StatusRange[];
  readonly credentials?: CredentialsSource;
  /** Connect here instead of to the URL's host and port. */
  readonly unixSocket?: string;
  /** Roots for the endpoint's certificate, read anew for each request; those of Node when absent. */
  readonly caFile?: string;
  /** The name to send and to find in the endpoint's certificate; the URL's host when absent. */
  readonly serverName?: string;
  /**
   * Fingerprints of leaves that the endpoint may show whatever their chain, name and dates: the pair in the volume and
   * those before it, for an endpoint that is served with the very certificate that is being renewed.
   */
  readonly trustedFingerprints?: () => readonly string[];
  /** 0 follows none. Only those to the same origin are followed, and the method never changes. */
  readonly maxRedirects: number;
  /** For the whole exchange, redirects included. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

interface Issue {
  readonly kind: "issue";
  readonly message: string;
  readonly hint: string;
}

/** Reads the address of a reload endpoint. What stands in it besides the address is never shown. */
export function parseReloadUrl(text: string): { readonly kind: "url"; readonly url: URL } | Issue {
  const hint = "write it whole, such as http://127.0.0.1:9090/-/reload";
  const url = URL.parse(text);
  if (url === null) return { kind: "issue", message: "it is no URL", hint };
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { kind: "issue", message: `the scheme ${url.protocol} is neither http: nor https:`, hint };
  }
  if (url.username !== "" || url.password !== "") {
    const instead = "give them in a file, which is read anew for each request";
    return { kind: "issue", message: "it holds credentials, which would end up in logs", hint: instead };
  }
  return { kind: "url", url };
}

/** Reads `200-299,304`. */
export function parseStatusRanges(
  text: string,
): { readonly kind: "ranges"; readonly ranges: readonly StatusRange[] } | Issue {
  const ranges: StatusRange[] = [];
  for (const part of text.split(",")) {
    const [, first, last = first] = /^\s*(\d{3})(?:\s*-\s*(\d{3}))?\s*$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (!(from >= 200 && from <= to && to <= 599)) {
      const hint = "write statuses from 200 to 599 and ranges of them: 200-299,304";
      return { kind: "issue", message: `${JSON.stringify(part.trim())} is no status or range`, hint };
    }
    ranges.push({ from, to });
  }
  return { kind: "ranges", ranges };
}

/** Reads `Name: value`. The value may be a secret, and is never shown. */
export function parseHeader(
  text: string,
): { readonly kind: "header"; readonly header: readonly [name: string, value: string] } | Issue {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text.trim()) ?? [];
  if (name === undefined || value === undefined) {
    return { kind: "issue", message: "it is no header", hint: "write Name: value in one line" };
  }
  return { kind: "header", header: [name, value.trimEnd()] };
}
