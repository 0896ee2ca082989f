import { expect, test } from "vitest";
import { readPullFailure } from "../../../scripts/docker/pull-answer.ts";

const daemon = "Error response from daemon: ";

test.each([
  "manifest for node:24-bookwurm not found: manifest unknown: manifest unknown",
  "pull access denied for certhup/none, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
  "unauthorized: authentication required",
  "toomanyrequests: You have reached your pull rate limit.",
  'failed to resolve reference "docker.io/library/node:0": docker.io/library/node:0: not found',
  "unexpected status from HEAD request to https://gcr.io/v2/distroless/none/manifests/latest: 403 Forbidden",
  "no matching manifest for linux/s390x in the manifest list entries",
])("a registry that answers refuses with its words: %s", (words) => {
  const output = `24: Pulling from library/node\n${daemon}${words}\n`;
  expect(readPullFailure(output)).toEqual({ kind: "refused", detail: `${daemon}${words}` });
});

test.each([
  'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host',
  'Get "https://registry-1.docker.io/v2/": dial tcp 192.0.2.1:443: connect: connection refused',
  'Get "https://gcr.io/v2/": net/http: request canceled while waiting for connection (Client.Timeout exceeded)',
  'Get "https://gcr.io/v2/": proxyconnect tcp: dial tcp: lookup proxy: no such host',
  'Get "https://registry-1.docker.io/v2/": Forbidden',
  'Get "https://gcr.io/v2/": net/http: TLS handshake timeout',
])("a registry out of reach is silent: %s", (words) => {
  expect(readPullFailure(`${daemon}${words}`)).toEqual({ kind: "silent", detail: `${daemon}${words}` });
});

test("a pull that was cut off without a word is silent", () => {
  expect(readPullFailure("")).toEqual({ kind: "silent", detail: "no answer within the time limit" });
});
