import { Client } from "undici";
import { type ConnectorOptions, createConnector } from "./http-connector.ts";

/** More than this of an answer is not read. */
const longestBody = 65_536;

/** One request, and how to connect for it. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
  readonly connector: ConnectorOptions;
}

/** What the endpoint answered; its text is foreign. */
export interface HttpAnswer {
  readonly status: number;
  readonly location: string | undefined;
  /** At most the first 64 KiB, not escaped. */
  readonly body: string;
}

/**
 * Sends one request on a connection of its own and reads the answer. Follows nothing.
 * @throws whatever undici does, and `UntrustedCertificateError`; once aborted, always
 */
export async function sendRequest(request: HttpRequest, abort: AbortSignal): Promise<HttpAnswer> {
  const { url, method, headers, body, connector } = request;
  const client = new Client(url.origin, {
    connect: createConnector(connector, abort),
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });
  try {
    const answer = await client.request({
      path: url.pathname + url.search,
      method,
      headers: headers.flat(),
      body: body ?? null,
      signal: abort,
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= longestBody) break;
    }
    const { location } = answer.headers;
    return {
      status: answer.statusCode,
      location: typeof location === "string" ? location : undefined,
      body: Buffer.concat(chunks).subarray(0, longestBody).toString("utf8"),
    };
  } finally {
    await client.destroy();
  }
}
