import { expect, test } from "vitest";
import { logAnnouncement } from "../../../src/agent/announcer.ts";
import { createLog } from "../../../src/system/log.ts";
import { factsOf } from "../../support/facts.ts";

function logSubject(subject: string, format: "json" | "text"): string {
  const written: string[] = [];
  const log = createLog({ format, level: "info" }, { write: (line) => void written.push(line) });
  logAnnouncement(log, { event: "confirmed", certificate: factsOf("a", { subject }) });
  return written.join("");
}

test("a subject of any length takes two hundred characters of a log line at most", () => {
  expect(JSON.parse(logSubject(`CN=${"x".repeat(5000)}`, "json"))).toMatchObject({
    event: "confirmed",
    subject: `CN=${"x".repeat(196)}…`,
  });
});

test.each(["json", "text"] as const)("what acts on a terminal is shown in a subject of the %s log", (format) => {
  expect(logSubject("CN=\u202egpj\u009b2J", format)).toMatch(/CN=\\{1,2}u\{202e\}gpj\\{1,2}x9b2J/);
});
