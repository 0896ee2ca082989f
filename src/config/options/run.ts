import type { Option } from "../option.ts";
import { agentOptions, config, name } from "./agent.ts";
import { commandOptions } from "./command.ts";
import { httpOptions } from "./http.ts";
import { keypairOptions } from "./keypair.ts";
import { processOptions } from "./process.ts";
import { proofOptions } from "./proof.ts";
import { reloadOptions } from "./reload.ts";
import { volumeOptions, watchInterval } from "./volume.ts";

/** What each target of the configuration file can have of its own. */
export const targetOptions: readonly Option<unknown>[] = [
  ...volumeOptions,
  ...keypairOptions,
  ...reloadOptions,
  ...processOptions,
  ...commandOptions,
  ...httpOptions,
  ...proofOptions,
  name,
];

/** What stands at the top of the configuration file. */
export const topOptions: readonly Option<unknown>[] = [watchInterval, ...agentOptions];

/** Every option of `certhup run`, in the order of the help. */
export const runOptions: readonly Option<unknown>[] = [...new Set([...targetOptions, config, ...topOptions])];
