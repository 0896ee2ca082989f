import { until } from "../../test/support/until.ts";
import { brief, type Observation, tell, tellLogLine } from "./narrator.ts";
import type { World } from "./world.ts";

/** Plays one part of the story and tells it; gives what should have happened and what was measured. */
export type Scene = (world: World) => Promise<readonly Observation[]>;

const patienceMs = 6_000;

export const playRenewal: Scene = async (world) => {
  const renewed = await world.issue();
  const told = followLog(world);
  const swappedMs = performance.now();
  const generation = await world.publish(renewed);
  tell("kubelet", `publishes the renewed certificate ${brief(renewed.fingerprint)}… as ${generation}`);
  const served = await observe("a renewal is served within a second", async () => {
    await untilServed(world, renewed.fingerprint);
    const tookMs = performance.now() - swappedMs;
    return { isSeen: tookMs < 1_000, measured: `after ${Math.round(tookMs)} ms` };
  });
  const confirmed = await observe("the agent proves it by handshakes", async () => {
    const [rotation] = await told.untilEvent(
      "rotation-ended",
      ({ fingerprint }) => fingerprint === renewed.fingerprint,
    );
    const measured = `${rotation?.["outcome"]} after ${rotation?.["durationMs"]} ms and ${rotation?.["reloads"]} reload`;
    return { isSeen: rotation?.["outcome"] === "confirmed", measured };
  });
  told.tell("keypair-accepted", "reload-settled", "rotation-ended");
  tell("client", `connects and is served ${brief(await world.served())}…, ${served.measured}`);
  return [served, confirmed];
};

export const playRefusal: Scene = async (world) => {
  const [bad, other] = await Promise.all([world.issue(), world.issue()]);
  const before = { served: await world.served(), reloads: world.reloads() };
  const told = followLog(world);
  await world.publish({ certificatePem: bad.certificatePem, keyPem: other.keyPem });
  tell("kubelet", `publishes certificate ${brief(bad.fingerprint)}… with the private key of another one`);
  const refused = await observe("a key of another certificate is refused", async () => {
    const [line] = await told.untilEvent("keypair-refused");
    const [finding] = (line?.["findings"] ?? []) as readonly { readonly code: string }[];
    return { isSeen: finding?.code === "key-mismatch", measured: String(finding?.code) };
  });
  told.tell("keypair-refused");

  // For a second, as a client and as the kubelet: nothing may change, not even for a moment.
  const rounds = await watch(10, 100, async () => ({ served: await world.served(), ready: await world.agent.ready() }));
  const isKept = rounds.every(({ served }) => served === before.served);
  const isReady = rounds.every(({ ready }) => ready.status === 200);
  const reloads = world.reloads() - before.reloads;
  tell("client", `connects ${rounds.length} times and is served ${brief(rounds.at(-1)?.served)}…, the one from before`);
  tell("probe", `GET /readyz → ${rounds.at(-1)?.ready.status} ${rounds.at(-1)?.ready.text.trim()}`);

  const repaired = await observe("the next good keypair is served", async () => {
    const swappedMs = performance.now();
    await world.publish(bad);
    await untilServed(world, bad.fingerprint);
    return { isSeen: true, measured: `after ${Math.round(performance.now() - swappedMs)} ms` };
  });
  tell("kubelet", `publishes ${brief(bad.fingerprint)}… with its own key; it is served ${repaired.measured}`);
  return [
    refused,
    {
      expected: "the server is not told, and keeps the old one",
      isSeen: isKept && reloads === 0,
      measured: `${rounds.length} handshakes, ${reloads} reloads`,
    },
    { expected: "the pod stays ready meanwhile", isSeen: isReady, measured: `/readyz ${statuses(rounds)}` },
    repaired,
  ];
};

export const playIgnoredSignal: Scene = async (world) => {
  const renewed = await world.issue();
  const before = { served: await world.served(), reloads: world.reloads() };
  const told = followLog(world);
  const swappedMs = performance.now();
  await world.publish(renewed);
  tell("kubelet", `publishes the renewed certificate ${brief(renewed.fingerprint)}…`);
  const isReadyAtFirst = (await world.agent.ready()).status === 200;
  const stale = await observe("unserved for 3 s, /readyz answers 503", async () => {
    const { text } = await until(
      () => world.agent.ready(),
      ({ status }) => status === 503,
      { timeoutMs: patienceMs, what: "/readyz to answer 503" },
    );
    const tookMs = performance.now() - swappedMs;
    const measured = `after ${(tookMs / 1000).toFixed(1)} s: ${text.split(":")[1]?.trim()}`;
    return { isSeen: isReadyAtFirst && text.includes(": stale: ") && tookMs >= 3_000, measured };
  });
  const logged = await observe("the log tells it, too", async () => {
    const [line] = await told.untilEvent("turned-stale");
    return { isSeen: true, measured: `at level ${line?.["level"]}` };
  });
  const reloads = world.reloads() - before.reloads;
  told.tell("keypair-accepted", "reload-settled", "reload-scheduled", "turned-stale");
  tell("server", `was told ${reloads} times and says "reloaded" each time`);
  const [served, ready] = await Promise.all([world.served(), world.agent.ready()]);
  tell("client", `connects and is served ${brief(served)}…, still the old one`);
  tell("probe", `GET /readyz → ${ready.status} ${ready.text.trim()}`);
  const live = await fetch(`${world.agent.url}/livez`);
  return [
    stale,
    logged,
    {
      expected: "with the endpoint and the reason",
      isSeen: ready.text.includes(`${world.endpoint} serves an older certificate`),
      measured: "serves an older certificate than the volume holds",
    },
    { expected: "the server is told again", isSeen: reloads > 1, measured: `${reloads} times` },
    { expected: "the pod is not restarted for it", isSeen: live.ok, measured: `/livez ${live.status}` },
  ];
};

interface Follower {
  untilEvent(
    event: string,
    isMeant?: (line: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Shows the lines of these events. */
  tell(...events: readonly string[]): void;
}

/** The agent's log from here on. */
function followLog({ agent }: World): Follower {
  const skipped = agent.events().length;
  const linesSince = (): ReturnType<World["agent"]["events"]> => agent.events().slice(skipped);
  return {
    untilEvent: (event, isMeant = () => true) =>
      until(
        () => linesSince().filter((line) => line["event"] === event && isMeant(line)),
        (lines) => lines.length > 0,
        { timeoutMs: patienceMs, what: `the agent to log ${event}` },
      ),
    tell(...events) {
      for (const line of linesSince()) if (events.includes(String(line["event"]))) tellLogLine(line);
    },
  };
}

/** What didn't happen in time is an observation as well. */
async function observe(
  expected: string,
  see: () => Promise<{ readonly isSeen: boolean; readonly measured: string }>,
): Promise<Observation> {
  try {
    return { expected, ...(await see()) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { expected, isSeen: false, measured: message.replaceAll(/\s+/g, " ").slice(0, 200) };
  }
}

async function untilServed(world: World, fingerprint: string): Promise<void> {
  await until(world.served, (served) => served === fingerprint, {
    timeoutMs: patienceMs,
    everyMs: 5,
    what: `${brief(fingerprint)}… to be served`,
  });
}

async function watch<T>(times: number, everyMs: number, look: () => Promise<T>): Promise<readonly T[]> {
  const seen: T[] = [];
  for (let time = 0; time < times; time++) {
    seen.push(await look());
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return seen;
}

function statuses(rounds: readonly { readonly ready: { readonly status: number } }[]): string {
  return [...new Set(rounds.map(({ ready }) => ready.status))].join(", ");
}
