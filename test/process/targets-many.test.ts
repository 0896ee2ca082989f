import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { RunningAgent } from "../support/agent.ts";
import { sampleOf } from "../support/agent-waits.ts";
import { createAuthority, type IssuedCertificate } from "../support/certificates.ts";
import { startChild } from "../support/child.ts";
import { createSecretVolume, type PublishStep, type SecretVolume } from "../support/secret-volume.ts";
import { endWithTest } from "../support/stage.ts";
import { startAgentFor } from "../support/staged-targets.ts";
import { until } from "../support/until.ts";

const authority = createAuthority();
const program = fileURLToPath(new URL("../support/sni-table-program.ts", import.meta.url));
const patience = { timeoutMs: 60_000, everyMs: 500 };

interface Crowd {
  readonly agent: RunningAgent;
  readonly volumes: readonly SecretVolume[];
}

interface Renewal {
  /** From the first swap to the last. */
  readonly swapMs: number;
  /** Hints that one swap caused, on average: each is one look. */
  readonly hintsPerSwap: number;
}

/** One agent and one server for so many targets, each with a volume and a server name of its own. */
async function startCrowd(count: number): Promise<Crowd> {
  const root = await mkdtemp(join(tmpdir(), "certhup-crowd-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const names = Array.from({ length: count }, (_, position) => nameOf(position));
  const volumes = await Promise.all(names.map((name) => createSecretVolume(join(root, name))));
  for (const [position, pair] of (await issueFor(volumes)).entries()) await volumes[position]?.publish(filesOf(pair));
  const server = startChild(process.execPath, [program, root]);
  endWithTest("server", server);
  const [, port = ""] = await server.untilOutput(/listening on (\d+)/);
  const targets = names.map((name) => ({
    name,
    certDir: join(root, name),
    endpoint: `tls://127.0.0.1:${port}?servername=${name}`,
    reload: "none",
    confirm: 1,
  }));
  // The looks of the poll are no answer to a swap.
  const agent = await startAgentFor(targets, ["--watch-interval", "10m", "--log-level", "info"]);
  await untilAllServed({ agent, volumes }, undefined);
  return { agent, volumes };
}

/** Swaps all volumes at once and waits until each target serves its new content. */
async function renewAll(crowd: Crowd): Promise<Renewal> {
  const { agent, volumes } = crowd;
  const pairs = await issueFor(volumes);
  const publications = pairs.map((pair, position) => volumes[position]?.steps(filesOf(pair)));
  for (const publication of publications) await advance(publication, "data-link-made");
  const before = await untilHintsRest(agent);
  const startMs = performance.now();
  await Promise.all(publications.map((publication) => advance(publication, "data-link-renamed")));
  const swapMs = performance.now() - startMs;
  await untilAllServed(crowd, pairs);
  const hints = (await untilHintsRest(agent)) - before;
  for (const publication of publications) await advance(publication, undefined);
  return { swapMs, hintsPerSwap: hints / volumes.length };
}

function nameOf(position: number): string {
  return `n${position}`;
}

function issueFor(volumes: readonly SecretVolume[]): Promise<readonly IssuedCertificate[]> {
  return Promise.all(volumes.map((_, position) => authority.issue({ names: [nameOf(position)] })));
}

function filesOf({ certificatePem, keyPem }: IssuedCertificate): Record<string, string> {
  return { "tls.crt": certificatePem, "tls.key": keyPem };
}

/** Goes on with a publication up to this step, or to its end. */
async function advance(publication: AsyncGenerator<PublishStep, string> | undefined, to?: PublishStep): Promise<void> {
  for (;;) {
    const step = await publication?.next();
    if (step === undefined || step.done === true || step.value === to) return;
  }
}

/** Waits until no hint has come for a moment; the number of all hints so far. */
async function untilHintsRest(agent: RunningAgent): Promise<number> {
  let last = Number.NaN;
  return until(
    async () => {
      const previous = last;
      last = await sampleOf(agent, "certhup_watch_events_total");
      return { previous, last };
    },
    (seen) => seen.previous === seen.last,
    { ...patience, everyMs: 400, what: "the hints to come to rest" },
  ).then((seen) => seen.last);
}

async function untilAllServed({ agent, volumes }: Crowd, pairs: readonly IssuedCertificate[] | undefined) {
  await until(
    async () => {
      const { targets } = await agent.status();
      return volumes.flatMap((_, position) => {
        const { readiness, wanted, endpoints } = targets[position];
        const fingerprint = pairs?.[position]?.fingerprint ?? wanted?.fingerprint;
        const isServed = endpoints[0].served?.fingerprint === fingerprint && wanted?.fingerprint === fingerprint;
        return readiness.state === "in-sync" && isServed ? [] : [readiness];
      });
    },
    (others) => others.length === 0,
    { ...patience, what: `all ${volumes.length} targets to serve their newest content` },
  );
}

test("500 targets, all swapped within a second, each reach their newest content by as many looks as few do", async () => {
  const few = await startCrowd(5);
  const ofFew = await renewAll(few);
  await few.agent.stop();

  const many = await startCrowd(500);
  const ofMany = await renewAll(many);

  expect(ofMany.swapMs).toBeLessThan(1_000);
  expect(ofMany.hintsPerSwap).toBeLessThanOrEqual(ofFew.hintsPerSwap + 1);
  expect(await sampleOf(many.agent, "certhup_watch_missed_total")).toBe(0);
  expect(await sampleOf(many.agent, "certhup_rotations_total", { outcome: "confirmed" })).toBe(500);
  expect(await sampleOf(many.agent, "certhup_watch_mode", { mode: "events" })).toBe(500);
}, 120_000);
