import { createHash } from "node:crypto";
import { connect } from "node:tls";
import type { Address } from "./pod-container.ts";

/** What one fresh handshake showed: the leaf's SHA-256, or why there was none. */
export type Handshake = { readonly fingerprint: string } | { readonly error: string };

const handshakeLimitMs = 3000;

/** One fresh TLS handshake, without resumption and without trust in anything. */
export function shakeHands(address: Address): Promise<Handshake> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, rejectUnauthorized: false, servername: "pod.example" });
    const settle = (handshake: Handshake): void => {
      socket.destroy();
      resolve(handshake);
    };
    socket.setTimeout(handshakeLimitMs, () => settle({ error: "silence" }));
    socket.once("error", (error) => settle({ error: error.message }));
    socket.once("close", () => settle({ error: "closed without a certificate" }));
    socket.once("secureConnect", () => {
      const leaf = socket.getPeerX509Certificate();
      if (leaf === undefined) settle({ error: "no certificate" });
      else settle({ fingerprint: createHash("sha256").update(leaf.raw).digest("hex") });
    });
  });
}

/** The part of the agent's `/status` document that tests read. */
export interface StatusDocument {
  readonly targets: readonly TargetStatus[];
}

export interface TargetStatus {
  readonly name: string;
  readonly readiness: { readonly ready: boolean; readonly state: string; readonly reason: string };
  readonly endpoints: readonly {
    readonly endpoint: string;
    readonly verdict: string | null;
    readonly served?: { readonly fingerprint: string } | null;
  }[];
  readonly preflight: readonly { readonly code: string; readonly message: string; readonly hint?: string }[];
  readonly rotations: readonly {
    readonly outcome: string | null;
    readonly cause?: string;
    readonly fingerprint?: string | null;
  }[];
}

/** One sample of a metrics page: its labels and its value. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of one metric on a page in the Prometheus text format. */
export function samplesOf(page: string, metric: string): readonly Sample[] {
  const samples: Sample[] = [];
  for (const line of page.split("\n")) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (match?.[1] !== metric) continue;
    const labels: Record<string, string> = {};
    for (const [, name, value] of (match[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      if (name !== undefined) labels[name] = value ?? "";
    }
    samples.push({ labels, value: Number(match[3]) });
  }
  return samples;
}
