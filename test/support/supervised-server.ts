import { onTestFinished } from "vitest";
import type { Habit, Stage, StagedServer } from "./stage.ts";
import { until } from "./until.ts";

/** A server that is started anew whenever it ends, as the kubelet does it. */
export interface SupervisedServer {
  /** How often it was started anew. */
  restarts(): number;
  /** The one that runs, or ran last. */
  current(): StagedServer;
  /** Starts nothing until `release` is called. */
  hold(): { release(): void };
  /** Waits until it has ended as often as this in all. */
  untilEnded(times: number): Promise<void>;
}

/** Starts the server of a stage under supervision, which ends with the test. */
export async function superviseServer(stage: Stage, habit: Habit = "legacy"): Promise<SupervisedServer> {
  let ends = 0;
  let restarts = 0;
  let gate: Promise<void> = Promise.resolve();
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  const start = async (): Promise<StagedServer> => {
    const started = await stage.startServer(habit);
    // What is registered last is done first: before the server is ended with the test, nobody starts another one.
    if (isOver) started.kill("SIGKILL");
    else onTestFinished(end);
    return started;
  };
  let server = await start();
  const supervise = async (): Promise<void> => {
    while (!isOver) {
      await server.ended;
      ends += 1;
      await gate;
      if (isOver) return;
      server = await start();
      restarts += 1;
    }
  };
  void supervise();
  return {
    restarts: () => restarts,
    current: () => server,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return { release: () => resolve() };
    },
    async untilEnded(times) {
      await until(
        () => ends,
        (count) => count >= times,
        { what: `the server to end ${times} times` },
      );
    },
  };
}
