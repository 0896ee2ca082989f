/** The moment at which every vector is judged; all dates in the vectors are fixed as well. */
export const vectorNowMs: number = Date.UTC(2027, 0, 1);

/** The files of one vector, as they lie in a volume. */
export interface VectorFiles {
  /** The bundle where there is no key file. */
  readonly certificate: string | Buffer;
  /** Absent for a bundle. */
  readonly key?: string | Buffer;
  readonly ca?: string | Buffer;
  readonly passphrase?: string;
}

/** One oddity. */
export interface Vector {
  /** Name of its folder. */
  readonly name: string;
  readonly make: (kit: VectorKit) => VectorFiles | Promise<VectorFiles>;
  /** `refused` by parsing or validation under the default policy. */
  readonly verdict: "accepted" | "held" | "refused";
  /** The codes of all findings, sorted. */
  readonly codes: readonly string[];
}

/** What vectors are made from: one good chain, and openssl. */
export interface VectorKit {
  /** Leaf `a.example` (EC P-256), one intermediate, root in `ca`. */
  readonly chain: { readonly leaf: string; readonly intermediate: string; readonly key: string; readonly ca: string };
  /** The same for a leaf that the root issued itself. */
  readonly single: { readonly leaf: string; readonly key: string; readonly ca: string };
  /** Runs the openssl program and returns its standard output; `input` is in the file `@input`, or else on standard input. */
  openssl(args: readonly string[], input?: string | Buffer): Buffer;
  /** A self-signed certificate of a key that openssl made; `options` go to `openssl req`. */
  selfSign(key: string | Buffer, options?: readonly string[]): string;
  /** Issues from the root of the kit; the dates are those of the vectors unless given. */
  issue(options: import("../support/certificates.ts").IssueOptions): Promise<{
    readonly certificate: string;
    readonly key: string;
    readonly ca: string;
  }>;
}
