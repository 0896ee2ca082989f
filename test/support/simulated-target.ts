import type { Announcement } from "../../src/core/announcement.ts";
import type { CertificateFacts } from "../../src/core/certificate-facts.ts";
import { nextWakeMs } from "../../src/core/on-woken.ts";
import type { Policy } from "../../src/core/policy.ts";
import type { ReloadOutcome } from "../../src/core/reload-outcome.ts";
import type { TargetState } from "../../src/core/state.ts";
import type { Step } from "../../src/core/step.ts";
import { begin, transition } from "../../src/core/transition.ts";
import type { VolumeLook } from "../../src/core/volume-look.ts";
import type { Instant } from "../../src/system/clock.ts";
import { servedResult, startMs, unreachableResult } from "./facts.ts";

/** How the simulated server takes a reload. */
export type ServerManner =
  | "reloads"
  | "ignores"
  | "fails-to-be-told"
  | "cannot-be-told"
  | "turns-down"
  | "comes-back-later"
  | "runs-out-of-time"
  | "asks-to-exit";

interface SentRound {
  readonly round: number;
  readonly served: CertificateFacts | undefined;
  /** How often the server had been told by then. */
  readonly told: number;
}

/**
 * A target of the pure core in a simulated world: a volume, one server for all endpoints, and a clock that is moved by
 * hand. Nothing is answered until it is told to be, so that answers can come in any order.
 */
export class SimulatedTarget {
  state: TargetState;
  at: Instant = { monotonicMs: 0, wallMs: startMs };
  volume: VolumeLook;
  /** What the server has loaded; `undefined` while it is down. */
  served: CertificateFacts | undefined;
  manner: ServerManner = "reloads";
  readonly announced: Announcement[] = [];
  /** Every reload that was asked for, with what the volume said at that moment. */
  readonly reloads: {
    readonly at: Instant;
    readonly volume: string;
    readonly rung: number;
    readonly isSettling: boolean;
  }[] = [];
  readonly exits: number[] = [];
  pendingLooks = 0;
  pendingReloads = 0;
  /** Rounds on their way, each with what the server showed when it was sent. */
  readonly pendingRounds: SentRound[] = [];
  /** What the rounds showed that were sent since the server was last told, oldest first. */
  answeredRounds: (string | undefined)[] = [];
  readonly policy: Policy;
  /** How often the server was told. */
  #told = 0;

  constructor(policy: Policy, volume: VolumeLook, served: CertificateFacts | undefined) {
    this.policy = policy;
    this.volume = volume;
    this.served = served;
    const begun = begin(policy);
    this.state = begun.state;
    this.#take(begun);
  }

  get wakeMs(): number | undefined {
    return nextWakeMs(this.state, this.at, this.policy);
  }

  /** The volume changed, and an event said so. */
  publish(look: VolumeLook): void {
    this.volume = look;
    this.pendingLooks = 1;
  }

  pass(ms: number): void {
    this.at = { monotonicMs: this.at.monotonicMs + ms, wallMs: this.at.wallMs + ms };
  }

  answerLook(): void {
    if (this.pendingLooks === 0) return;
    this.pendingLooks = 0;
    this.#take(transition(this.state, { type: "looked", look: this.volume, at: this.at }, this.policy));
  }

  answerProbe(): void {
    const sent = this.pendingRounds.shift();
    if (sent === undefined) return;
    const result = sent.served === undefined ? unreachableResult : servedResult(sent.served);
    const results = this.policy.endpoints.map(() => result);
    if (sent.told === this.#told) this.answeredRounds.push(sent.served?.fingerprint);
    this.#take(transition(this.state, { type: "probed", round: sent.round, results, at: this.at }, this.policy));
  }

  answerReload(): void {
    if (this.pendingReloads === 0) return;
    this.pendingReloads -= 1;
    const outcome = this.#serverTakesReload();
    if (outcome.kind !== "refused") {
      this.answeredRounds = [];
      this.#told += 1;
    }
    this.#take(transition(this.state, { type: "reload-settled", outcome, at: this.at }, this.policy));
  }

  stop(): void {
    this.#take(transition(this.state, { type: "stop-requested", at: this.at }, this.policy));
  }

  /** Lets the time pass to the next wake, if there is one, and wakes. */
  wake(): void {
    const wakeMs = this.wakeMs;
    if (wakeMs === undefined) return;
    this.pass(Math.max(0, wakeMs - this.at.monotonicMs));
    this.#take(transition(this.state, { type: "woken", at: this.at }, this.policy));
  }

  /** Answers everything and wakes on time, until `durationMs` have passed. */
  run(durationMs: number): void {
    const endMs = this.at.monotonicMs + durationMs;
    while (this.at.monotonicMs < endMs) {
      this.answerLook();
      this.answerReload();
      this.answerProbe();
      const isBusy = this.pendingLooks + this.pendingReloads + this.pendingRounds.length > 0;
      const wakeMs = this.wakeMs;
      if (isBusy) this.pass(1);
      else if (wakeMs === undefined || wakeMs > endMs) this.pass(endMs - this.at.monotonicMs);
      else this.wake();
    }
  }

  #serverTakesReload(): ReloadOutcome {
    switch (this.manner) {
      case "reloads":
        // A server that finds a bad pair keeps what it had.
        if (this.served !== undefined && this.volume.kind === "accepted") this.served = this.volume.certificate;
        return { kind: "accepted", detail: "sent SIGHUP" };
      case "ignores":
        return { kind: "accepted", detail: "sent SIGHUP" };
      case "fails-to-be-told":
        return { kind: "refused", reason: "no-process", detail: "no process is called nginx" };
      case "cannot-be-told":
        return { kind: "refused", reason: "signal-not-handled", detail: "it has no handler for SIGHUP" };
      case "turns-down":
        return { kind: "refused", reason: "client-error", detail: "401 Unauthorized" };
      case "comes-back-later":
        return { kind: "refused", reason: "restart-too-soon", detail: "it runs for 5s only", retryAfterMs: 40_000 };
      case "asks-to-exit":
        return { kind: "accepted", detail: "the agent ends", exitStatus: 85 };
      case "runs-out-of-time":
        return { kind: "timed-out", afterMs: 1_000 };
    }
  }

  #take(step: Step): void {
    this.state = step.state;
    for (const effect of step.effects) {
      switch (effect.type) {
        case "look":
          this.pendingLooks = 1;
          break;
        case "probe":
          this.pendingRounds.push({ round: effect.round, served: this.served, told: this.#told });
          break;
        case "reload":
          this.pendingReloads += 1;
          this.reloads.push({
            at: this.at,
            volume: this.state.volume.kind,
            rung: effect.rung,
            isSettling: this.state.settling !== undefined,
          });
          break;
        case "exit":
          this.exits.push(effect.status);
          break;
        case "announce":
          this.announced.push(effect.announcement);
          break;
      }
    }
  }
}
