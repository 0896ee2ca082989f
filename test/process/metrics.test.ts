import { expect, test } from "vitest";
import type { RunningAgent } from "../support/agent.ts";
import { untilConfirmed, untilState } from "../support/agent-waits.ts";
import { readSamples, type Scrape } from "../support/prometheus-text.ts";
import { createStage } from "../support/stage.ts";

async function scrape(agent: RunningAgent): Promise<Scrape> {
  return readSamples(await agent.metrics());
}

/** `x_bucket`, `x_sum` and `x_count` belong to the histogram `x`. */
function metricOf(name: string, { type }: Scrape): string {
  const base = name.replace(/_(bucket|sum|count)$/, "");
  return type.get(base) === "histogram" ? base : name;
}

test("every sample has a help text and a type, and the format is kept", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  const all = await scrape(agent);
  expect(all.samples.length).toBeGreaterThan(50);
  for (const { name } of all.samples) {
    const metric = metricOf(name, all);
    expect(metric).toMatch(/^certhup_[a-z0-9_]+$/);
    expect(all.help.get(metric), metric).toMatch(/^[A-Z0-9].{9,}/);
    expect(all.type.get(metric), metric).toMatch(/^(counter|gauge|histogram)$/);
    if (all.type.get(metric) === "counter") expect(metric).toMatch(/_total$/);
  }
  const identities = all.samples.map(({ name, labels }) => `${name}${JSON.stringify(Object.entries(labels).sort())}`);
  expect(new Set(identities).size).toBe(identities.length);
});

test("counters exist at 0 before anything happened", async () => {
  const stage = await createStage();
  const agent = await stage.startAgent();
  const { samples, type } = await scrape(agent);
  const counters = [...type].filter(([, kind]) => kind === "counter").map(([name]) => name);
  const still = ["rotations_total", "reloads_total", "keypair_refused_total", "probes_total", "watch_missed_total"];
  expect(counters).toEqual(expect.arrayContaining(still.map((name) => `certhup_${name}`)));
  for (const counter of counters) expect(samples.map(({ name }) => name)).toContain(counter);
  for (const name of ["rotations_total", "reloads_total", "keypair_refused_total"]) {
    for (const sample of samples.filter((candidate) => candidate.name === `certhup_${name}`)) {
      expect(sample).toMatchObject({ labels: { target: "default" }, value: 0 });
    }
  }
  const verdicts = samples.filter(({ name }) => name === "certhup_probes_total").map(({ labels }) => labels["verdict"]);
  expect(verdicts.sort()).toEqual(["expired", "foreign", "match", "stale", "unreachable", "valid"]);
});

test("labels come from closed lists, and a hundred renewals would make no more series than one", async () => {
  const stage = await createStage();
  await stage.publish(await stage.issue());
  await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  const before = (await scrape(agent)).samples.length;
  for (let renewal = 0; renewal < 3; renewal++) {
    const renewed = await stage.issue();
    await stage.publish(renewed);
    await untilConfirmed(agent, renewed);
  }
  const { samples } = await scrape(agent);
  expect(samples.length).toBe(before);
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
  const closed = ["target", "endpoint", "source", "outcome", "strategy", "reason", "verdict", "mode", "state", "le"];
  const described = ["fingerprint_sha256", "serial", "version", "node_version"];
  expect([...labels].filter((label) => ![...closed, ...described].includes(label))).toEqual([]);
});

test("the ends of the certificates are told by where they were seen", async () => {
  const stage = await createStage();
  const notAfter = new Date("2031-05-06T07:08:09Z");
  await stage.publish(await stage.issue({ notAfter }));
  await stage.startServer();
  const agent = await stage.startAgent();
  await untilState(agent, "in-sync");
  const { samples } = await scrape(agent);
  const ends = samples.filter(({ name }) => name === "certhup_certificate_not_after_timestamp_seconds");
  expect(ends.map(({ labels, value }) => [labels["source"], labels["endpoint"], value]).sort()).toEqual([
    ["served", stage.endpoint, notAfter.getTime() / 1000],
    ["volume", "", notAfter.getTime() / 1000],
  ]);
});
