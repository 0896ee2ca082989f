import type { CertificateFacts } from "./certificate-facts.ts";

/** Why a probe saw no certificate. */
export type UnreachableReason =
  | "connection-refused"
  | "name-not-resolved"
  | "timed-out"
  | "closed-early"
  | "not-tls"
  | "server-name-rejected"
  | "handshake-failed"
  | "prelude-failed"
  | "resumed-session"
  | "network-error"
  | "client-certificate-unusable"
  | "cancelled";

/** What one fresh handshake with an endpoint learned. */
export type ProbeResult =
  | {
      readonly kind: "served";
      readonly certificate: CertificateFacts;
      /** As OpenSSL names it: `TLSv1.3`. */
      readonly protocol: string;
      readonly cipher: string;
      /**
       * What other addresses of the same endpoint showed, where they showed something else (`localhost` is 127.0.0.1
       * and ::1): every one of them must match.
       */
      readonly alsoServed?: readonly CertificateFacts[];
      readonly durationMs: number;
    }
  | {
      readonly kind: "unreachable";
      readonly reason: UnreachableReason;
      /** A sentence for people, lower case, no full stop; foreign text in it is escaped already. */
      readonly detail: string;
      readonly durationMs: number;
    };
