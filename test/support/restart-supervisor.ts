import type { PodContainer } from "./pod-container.ts";

/** One start of a container after its process ended. */
export interface Restart {
  /** What the process ended with. */
  readonly status: number;
  /** How long the back-off kept it, in milliseconds of the kubelet's own time. */
  readonly backOffMs: number;
}

/** Starts a container anew whenever it ends. */
export interface RestartSupervisor extends AsyncDisposable {
  readonly restarts: readonly Restart[];
  /** Ends of its process seen so far, the one that waits for its start included. */
  readonly ends: number;
  /** Starts nothing until `release` is called. */
  hold(): { release(): void };
}

export interface SupervisorOptions {
  /** How much faster than the kubelet's its time goes. */
  readonly timesFaster: number;
}

const secondMs = 1000;
const firstBackOffMs = 10 * secondMs;
const longestBackOffMs = 300 * secondMs;

/**
 * Restarts as the kubelet does for `restartPolicy: Always`: the first time at once, then no sooner than 10 s after the
 * end, 20 s, 40 s and so on up to 5 min; 10 min without a restart are enough to begin anew
 * (kubernetes/kubernetes pkg/kubelet/kuberuntime, `doBackOff`).
 */
export function superviseRestarts(
  container: Pick<PodContainer, "ended" | "start">,
  { timesFaster }: SupervisorOptions,
): RestartSupervisor {
  const restarts: Restart[] = [];
  let ends = 0;
  let isOver = false;
  let gate: Promise<void> = Promise.resolve();
  const over = Promise.withResolvers<void>();
  const nowMs = (): number => performance.now() * timesFaster;

  const supervise = async (): Promise<void> => {
    let backOffMs = 0;
    let backedOffAtMs = Number.NEGATIVE_INFINITY;
    for (;;) {
      const status = await Promise.race([container.ended().catch(() => undefined), over.promise]);
      if (status === undefined || isOver) return;
      ends += 1;
      const endedAtMs = nowMs();
      const isForgotten = endedAtMs - backedOffAtMs > 2 * longestBackOffMs;
      const waitMs = isForgotten ? 0 : backOffMs;
      await Promise.race([pause(waitMs / timesFaster), over.promise]);
      await gate;
      if (isOver) return;
      backOffMs = isForgotten || backOffMs === 0 ? firstBackOffMs : Math.min(2 * backOffMs, longestBackOffMs);
      backedOffAtMs = nowMs();
      await container.start();
      restarts.push({ status, backOffMs: waitMs });
    }
  };
  const supervising = supervise();

  return {
    restarts,
    get ends() {
      return ends;
    },
    hold() {
      const held = Promise.withResolvers<void>();
      gate = held.promise;
      return { release: () => held.resolve() };
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      over.resolve();
      await supervising;
    },
  };
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
