import { flagOf } from "../../src/config/option.ts";
import { runOptions } from "../../src/config/options/run.ts";
import type { FlagTexts } from "../../src/config/sources.ts";

/** The flags of a `certhup run` command line by option key, as the configuration reads them: `--flag=value` or two words. */
export function toFlagTexts(args: readonly string[]): FlagTexts {
  const flags: Record<string, string[]> = {};
  const words = args.slice(1).flatMap((word) => (word.startsWith("--") ? word.split(/=(.*)/s, 2) : [word]));
  for (let position = 0; position < words.length; position += 2) {
    const option = runOptions.find((candidate) => flagOf(candidate) === words[position]);
    if (option === undefined) throw new Error(`${words[position]} is no flag of certhup run`);
    flags[option.key] = [...(flags[option.key] ?? []), words[position + 1] ?? ""];
  }
  return flags;
}
