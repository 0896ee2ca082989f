import type { Duplex } from "node:stream";
import type { Prelude } from "./prelude.ts";
import { createPreludeRun } from "./prelude-run.ts";

/** What becomes of a prelude. */
export interface TalkListener {
  /** The server's next message is awaited. */
  onWaiting(what: string): void;
  onRefused(detail: string): void;
  onReady(): void;
}

/** Runs a prelude over a connection. It listens to nothing but data: endings and limits are the caller's. */
export function holdTalk(connection: Duplex, prelude: Prelude, listener: TalkListener): void {
  const run = createPreludeRun(prelude, (bytes) => connection.write(bytes));
  const receive = (bytes: Buffer): void => {
    const state = run.receive(bytes);
    if (state.kind === "waiting") {
      listener.onWaiting(state.what);
      return;
    }
    connection.off("data", receive);
    if (state.kind === "ready") {
      listener.onReady();
    } else {
      listener.onRefused(state.detail);
    }
  };
  connection.on("data", receive);
  receive(Buffer.alloc(0));
}
