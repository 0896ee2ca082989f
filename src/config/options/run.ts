import type { Option } from "../option.ts";
import { agentOptions } from "./agent.ts";
import { keypairOptions } from "./keypair.ts";
import { proofOptions } from "./proof.ts";
import { reloadOptions } from "./reload.ts";
import { volumeOptions } from "./volume.ts";

/** Every option of `certhup run`, in the order of the help. */
export const runOptions: readonly Option<unknown>[] = [
  ...volumeOptions,
  ...keypairOptions,
  ...reloadOptions,
  ...proofOptions,
  ...agentOptions,
];
