import { expect, test } from "vitest";
import { chooseServerName, firstServerName } from "../../../src/probe/server-name.ts";
import { toEndpoint } from "../../support/tls-server-probe.ts";

test.each([
  [["www.example.com", "a.example"], "www.example.com"],
  [["*.b.example"], "certhup.b.example"],
  [["10.0.0.1", "::1", "DB.example."], "db.example"],
  [["bad name", "a.*.example", "ok.example"], "ok.example"],
  [["10.0.0.1"], undefined],
  [[], undefined],
])("the first name to send out of %j is %j", (names, name) => {
  expect(firstServerName(names)).toBe(name);
});

test.each([
  ["127.0.0.1:1", undefined, undefined],
  ["127.0.0.1:1", "volume.example", "volume.example"],
  ["127.0.0.1:1?servername=own.example", "volume.example", "own.example"],
  ["127.0.0.1:1?servername=", "volume.example", undefined],
  ["127.0.0.1:1", "10.0.0.1", undefined],
  ["db.example.:1", undefined, "db.example"],
  ["db.example:1", "volume.example", "volume.example"],
  ["localhost:1", undefined, undefined],
  ["tls+unix:///run/x.sock", undefined, undefined],
])("%s with the volume's name %j sends %j", (text, defaultServerName, name) => {
  expect(chooseServerName(toEndpoint(text), defaultServerName)).toBe(name);
});
