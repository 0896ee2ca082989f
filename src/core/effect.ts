import type { Announcement } from "./announcement.ts";

/** Something that the agent must carry out. */
export type Effect =
  /** Read the volume and answer with `looked`. */
  | { readonly type: "look" }
  /** Probe every endpoint and answer with `probed` and the same round. */
  | { readonly type: "probe"; readonly round: number }
  /** Tell the server, and answer with `reload-settled`, always. */
  | { readonly type: "reload"; readonly attempt: number }
  /** Tell people: log and metrics. */
  | { readonly type: "announce"; readonly announcement: Announcement };
