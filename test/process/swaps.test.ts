import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sampleOf, untilConfirmed, untilState } from "../support/agent-waits.ts";
import { startChild } from "../support/child.ts";
import { createStage, endWithTest } from "../support/stage.ts";

const swapper = fileURLToPath(new URL("../support/keypair-swapper.ts", import.meta.url));

test.for(["current", "old"])(
  "under swaps without a pause in the %s order no torn pair is ever seen, and the last one is served",
  async (order) => {
    const stage = await createStage();
    await stage.publish(await stage.issue());
    await stage.startServer();
    const agent = await stage.startAgent(["--watch-interval", "100ms", "--verify-timeout", "1s"]);
    await untilState(agent, "in-sync");

    const writer = startChild(process.execPath, [swapper, stage.volume.directory, order, "4000"]);
    endWithTest("writer", writer);
    const [, swaps, fingerprint = ""] = await writer.untilOutput(/swapped (\d+) times, last ([0-9a-f]{64})/, 20_000);
    await untilConfirmed(agent, { fingerprint });

    expect(await stage.served()).toBe(fingerprint);
    expect(Number(swaps)).toBeGreaterThan(200);
    // Not once in the whole run: a torn pair would have been refused as a mismatch, a torn file as unreadable.
    expect(await sampleOf(agent, "certhup_keypair_refused_total")).toBe(0);
    expect(agent.events("keypair-refused")).toEqual([]);
    expect(agent.events("volume-missing")).toEqual([]);
    expect(agent.events("fault")).toEqual([]);
    expect(agent.events("keypair-accepted").length).toBeGreaterThan(5);
  },
);
