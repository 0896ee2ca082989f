import { list, type Option, single } from "../option.ts";
import { parseDuration, parseSwitch, parseText } from "../parsers.ts";

const group = "Keypair rules";

export const minValidity: Option<number> = single(
  {
    key: "minValidity",
    placeholder: "TIME",
    group,
    fallback: "0s",
    description: "refuse a certificate that is valid for less than this",
  },
  parseDuration,
);
export const requireName: Option<readonly string[]> = list(
  {
    key: "requireName",
    placeholder: "NAME",
    group,
    description: "refuse a certificate that does not cover this name (repeatable)",
  },
  parseText,
);
export const allowExpired: Option<boolean> = single(
  { key: "allowExpired", placeholder: "", group, fallback: "false", description: "accept an expired certificate" },
  parseSwitch,
);

/** The options of this group, in the order of the help. */
export const keypairOptions: readonly Option<unknown>[] = [minValidity, requireName, allowExpired];
