import type { LogLine, RunningAgent } from "./agent.ts";
import { readSamples, type Sample } from "./prometheus-text.ts";
import { until } from "./until.ts";

/** Waits until `/readyz` gives this word, and such a reason, for the only target, and returns the whole answer. */
export function untilState(
  agent: RunningAgent,
  state: string,
  reason: RegExp = /\w/,
): Promise<{ readonly status: number; readonly text: string }> {
  return until(
    () => agent.ready(),
    ({ text }) => text.startsWith(`default: ${state}: `) && reason.test(text),
    { what: `the target to be ${state}, ${reason}` },
  );
}

/** Waits until the agent has confirmed this certificate, and returns the line that ends the rotation. */
export function untilConfirmed(
  agent: RunningAgent,
  { fingerprint }: { readonly fingerprint: string },
): Promise<LogLine> {
  const isMeant = (line: LogLine): boolean => line["fingerprint"] === fingerprint && line["outcome"] === "confirmed";
  return untilEvent(agent, "rotation-ended", isMeant);
}

/** Waits until the agent has logged such a line, and returns the last one. */
export async function untilEvent(
  agent: RunningAgent,
  event: string,
  isMeant: (line: LogLine) => boolean = () => true,
): Promise<LogLine> {
  const line = await until(
    () => agent.events(event).findLast(isMeant),
    (found) => found !== undefined,
    { what: `the agent to log ${event}` },
  );
  return line ?? {};
}

/** Waits until the agent has read the volume twice more: whatever it wanted to do about it has begun by then. */
export async function untilLookedAgain(agent: RunningAgent): Promise<void> {
  for (let look = 0; look < 2; look++) {
    const nowSeconds = Date.now() / 1000;
    await until(
      () => sampleOf(agent, "certhup_last_look_timestamp_seconds"),
      (value) => value > nowSeconds,
      { what: "another look at the volume" },
    );
  }
}

/** The sum of the samples with this name and these labels. */
export async function sampleOf(
  agent: RunningAgent,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const isMeant = (sample: Sample): boolean =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  const { samples } = readSamples(await agent.metrics());
  return samples.filter(isMeant).reduce((sum, { value }) => sum + value, 0);
}
