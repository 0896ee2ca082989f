import type { Announcement } from "../core/announcement.ts";
import type { CertificateFacts } from "../core/certificate-facts.ts";
import type { Effect } from "../core/effect.ts";
import { nextWakeMs } from "../core/on-woken.ts";
import type { Policy } from "../core/policy.ts";
import type { ProbeResult } from "../core/probe-result.ts";
import type { ReloadOutcome } from "../core/reload-outcome.ts";
import type { TargetState } from "../core/state.ts";
import type { Step } from "../core/step.ts";
import { begin, transition } from "../core/transition.ts";
import { servedAnywhere } from "../core/verdict.ts";
import type { VolumeLook } from "../core/volume-look.ts";
import type { Cancel, Clock, Instant } from "../system/clock.ts";

/** What a target needs of the outside. Each promise settles within its own time limit; a rejection is a fault. */
export interface TargetPorts {
  look(served: CertificateFacts | undefined): Promise<VolumeLook>;
  /** One fresh handshake with each endpoint of the policy, in its order. */
  probe(signal: AbortSignal): Promise<readonly ProbeResult[]>;
  /** Tells the server by this rung of the ladder. */
  reload(rung: number, signal: AbortSignal): Promise<ReloadOutcome>;
  /** Ends the agent with this status. */
  exit(status: number): void;
  announce(announcement: Announcement): void;
  /** A fault of the program: the target goes on with what it had. */
  fault(during: "look" | "probe" | "reload", error: unknown): void;
}

/** One target at work: an event comes in, the core decides, the effects are carried out. */
export interface TargetAgent {
  state(): TargetState;
  /** The volume may have changed. However often it is called, at most one look runs and one waits. */
  requestLook(): void;
  start(): void;
  /** No more effects from here on; what runs is told to end. */
  stop(): void;
}

type Happening =
  | { readonly type: "looked"; readonly look: VolumeLook }
  | { readonly type: "probed"; readonly round: number; readonly results: readonly ProbeResult[] }
  | { readonly type: "reload-settled"; readonly outcome: ReloadOutcome }
  | { readonly type: "look-failed" }
  | { readonly type: "woken" }
  | { readonly type: "stop-requested" };

/** A target agent that waits for its start; nothing is asked of the ports before. */
export function createTargetAgent(policy: Policy, clock: Clock, ports: TargetPorts): TargetAgent {
  let { state, effects: owed } = begin(policy);
  let cancelWake: Cancel = () => undefined;
  let isLooking = false;
  let isLookWaiting = false;
  const stopping = new AbortController();

  const handle = (happening: Happening): void => {
    const at = clock.now();
    carryOut(transition(state, { ...happening, at }, policy), at);
  };

  const carryOut = (step: Step, at: Instant): void => {
    state = step.state;
    cancelWake();
    const wakeMs = nextWakeMs(state, at, policy);
    if (wakeMs !== undefined) cancelWake = clock.after(wakeMs - at.monotonicMs, () => handle({ type: "woken" }));
    for (const effect of step.effects) perform(effect);
  };

  const perform = (effect: Effect): void => {
    switch (effect.type) {
      case "announce":
        ports.announce(effect.announcement);
        return;
      case "look":
        requestLook();
        return;
      case "probe":
        void probe(effect.round);
        return;
      case "reload":
        void reload(effect.rung);
        return;
      case "exit":
        ports.exit(effect.status);
        return;
    }
  };

  const requestLook = (): void => {
    if (isLooking) isLookWaiting = true;
    else void look();
  };

  const look = async (): Promise<void> => {
    isLooking = true;
    do {
      isLookWaiting = false;
      try {
        handle({ type: "looked", look: await ports.look(servedNow(state)) });
      } catch (error) {
        ports.fault("look", error);
        handle({ type: "look-failed" });
      }
    } while (isLookWaiting && !stopping.signal.aborted);
    isLooking = false;
  };

  const probe = async (round: number): Promise<void> => {
    let results: readonly ProbeResult[] = [];
    try {
      results = await ports.probe(stopping.signal);
    } catch (error) {
      ports.fault("probe", error);
    }
    handle({ type: "probed", round, results });
  };

  const reload = async (rung: number): Promise<void> => {
    let outcome: ReloadOutcome = { kind: "refused", reason: "fault", detail: "the reload failed within the agent" };
    try {
      outcome = await ports.reload(rung, stopping.signal);
    } catch (error) {
      ports.fault("reload", error);
    }
    handle({ type: "reload-settled", outcome });
  };

  return {
    state: () => state,
    requestLook,
    start() {
      const begun = owed;
      owed = [];
      carryOut({ state, effects: begun }, clock.now());
    },
    stop() {
      stopping.abort();
      handle({ type: "stop-requested" });
    },
  };
}

/** The served certificate by the last probe; of several, the one that is valid for longest. */
function servedNow(state: TargetState): CertificateFacts | undefined {
  return servedAnywhere(state).toSorted((left, right) => right.notAfter - left.notAfter)[0];
}
