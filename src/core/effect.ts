import type { Announcement } from "./announcement.ts";

/** Something that the agent must carry out. */
export type Effect =
  /** Read the volume and answer with `looked`. */
  | { readonly type: "look" }
  /** Probe every endpoint and answer with `probed` and the same round. */
  | { readonly type: "probe"; readonly round: number }
  /** Tell the server by this rung of the ladder, and answer with `reload-settled`, always. */
  | { readonly type: "reload"; readonly rung: number }
  /** End the agent with this status: the pod has a rule that starts its containers anew. */
  | { readonly type: "exit"; readonly status: number }
  /** Tell people: log and metrics. */
  | { readonly type: "announce"; readonly announcement: Announcement };
