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

/** What a handshake showed besides the certificate. Reported, never decisive. */
export interface HandshakeReport {
  /**
   * The stapled OCSP response, where one came; its signature is not checked. `missing` where none came although the leaf
   * promises one (RFC 7633, "must-staple").
   */
  readonly ocspStaple?: {
    readonly status: "good" | "revoked" | "unknown" | "unreadable" | "missing";
    /** Of the certificate that it is about; upper-case hex, as certificates print it. */
    readonly serialNumber?: string;
    /** False for a response about another certificate, such as the one before the renewal. */
    readonly isForLeaf: boolean;
  };
  /** Whether the leaf covers the name or address that was asked for. */
  readonly coversName?: { readonly name: string; readonly isCovered: boolean };
  /**
   * What is wrong with the certificates beside the leaf, in the codes of the findings; absent where nothing is. Foreign
   * text in the sentences is escaped already.
   */
  readonly chainProblems?: readonly { readonly code: string; readonly message: string }[];
  /** Whether the path leads to the CA file, where one was given. */
  readonly trust?: { readonly isTrusted: true } | { readonly isTrusted: false; readonly problem: string };
}

/** What one fresh handshake with an endpoint learned. */
export type ProbeResult =
  | ({
      readonly kind: "served";
      /** Where the endpoint shows several, the one that ends first. */
      readonly certificate: CertificateFacts;
      /** As OpenSSL names it: `TLSv1.3`. */
      readonly protocol: string;
      readonly cipher: string;
      /**
       * What the same endpoint showed otherwise, where it has several addresses (`localhost` is 127.0.0.1 and ::1) or
       * several processes share its port: every one of them must match.
       */
      readonly alsoServed?: readonly CertificateFacts[];
      readonly durationMs: number;
    } & HandshakeReport)
  | {
      readonly kind: "unreachable";
      readonly reason: UnreachableReason;
      /** A sentence for people, lower case, no full stop; foreign text in it is escaped already. */
      readonly detail: string;
      readonly durationMs: number;
    };
